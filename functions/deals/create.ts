import { expandDeals } from '#lib/deals/include.ts';
import { createDeal } from '#lib/deals/store.ts';
import { CreateDeal, DealInclude, DealWithTasks } from '#lib/entities/deal.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Opens a deal in an active stage; a title is enough. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/deals',
    summary: 'Create a deal',
    scope: 'deals:write',
    query: DealInclude,
    expand: expandDeals,
    body: CreateDeal,
    status: 201,
    response: DealWithTasks,
    errors: ['bad_request', 'conflict'],
  },
  ({ tx, body }) => createDeal(tx, body),
);
