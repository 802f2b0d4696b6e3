import { Nothing } from '#lib/core/schema.ts';
import { expandDeals } from '#lib/deals/include.ts';
import { getDeal } from '#lib/deals/read.ts';
import { archiveDeal } from '#lib/deals/store.ts';
import { DealInclude, DealWithTasks } from '#lib/entities/deal.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Takes a deal out of lists and counts; it is kept, and comes back with a restore. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/deals/{id}/archive',
    summary: 'Archive a deal',
    hasNoTool: true,
    scope: 'deals:write',
    query: DealInclude,
    expand: expandDeals,
    body: Nothing,
    status: 200,
    response: DealWithTasks,
    errors: ['bad_request', 'not_found'],
    current: (tx, { id }) => getDeal(tx, id),
  },
  ({ tx, params }) => archiveDeal(tx, params.id),
);
