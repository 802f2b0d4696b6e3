import { Nothing } from '#lib/core/schema.ts';
import { expandDeals } from '#lib/deals/include.ts';
import { getDeal } from '#lib/deals/read.ts';
import { restoreDeal } from '#lib/deals/store.ts';
import { DealInclude, DealWithTasks } from '#lib/entities/deal.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Brings an archived deal back. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/deals/{id}/restore',
    summary: 'Restore a deal',
    hasNoTool: true,
    scope: 'deals:write',
    query: DealInclude,
    expand: expandDeals,
    body: Nothing,
    status: 200,
    response: DealWithTasks,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getDeal(tx, id),
  },
  ({ tx, params }) => restoreDeal(tx, params.id),
);
