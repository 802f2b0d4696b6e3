import { expandDeals } from '#lib/deals/include.ts';
import { getDeal } from '#lib/deals/read.ts';
import { moveDealToColumn } from '#lib/deals/store.ts';
import { DealInclude, DealWithTasks, SetDealColumn } from '#lib/entities/deal.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Moves a deal to a column of any board but a won one, which is panel-only. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/deals/{id}/column',
    summary: 'Move a deal to a column',
    hasNoTool: true,
    scope: 'deals:write',
    query: DealInclude,
    expand: expandDeals,
    body: SetDealColumn,
    status: 200,
    response: DealWithTasks,
    errors: ['bad_request', 'not_found'],
    current: (tx, { id }) => getDeal(tx, id),
  },
  ({ tx, params, body }) => moveDealToColumn(tx, params.id, body),
);
