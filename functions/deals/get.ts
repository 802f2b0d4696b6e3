import { expandDeals } from '#lib/deals/include.ts';
import { getDeal } from '#lib/deals/read.ts';
import { DealInclude, DealWithTasks } from '#lib/entities/deal.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** One deal with its tasks. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/deals/{id}',
    summary: 'Get a deal',
    scope: 'deals:read',
    query: DealInclude,
    expand: expandDeals,
    status: 200,
    response: DealWithTasks,
    errors: ['not_found'],
  },
  ({ tx, params }) => getDeal(tx, params.id),
);
