import { expandDeals } from '#lib/deals/include.ts';
import { getDeal } from '#lib/deals/read.ts';
import { moveDeal } from '#lib/deals/store.ts';
import { DealInclude, DealWithTasks, SetDealStage } from '#lib/entities/deal.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Moves a deal to any stage but won, which is panel-only. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/deals/{id}/stage',
    summary: 'Move a deal to a stage',
    scope: 'deals:write',
    query: DealInclude,
    expand: expandDeals,
    body: SetDealStage,
    status: 200,
    response: DealWithTasks,
    errors: ['bad_request', 'not_found'],
    current: (tx, { id }) => getDeal(tx, id),
  },
  ({ tx, params, body }) => moveDeal(tx, params.id, body),
);
