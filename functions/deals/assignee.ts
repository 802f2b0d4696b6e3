import { expandDeals } from '#lib/deals/include.ts';
import { getDeal } from '#lib/deals/read.ts';
import { assignDeal } from '#lib/deals/store.ts';
import { DealInclude, DealWithTasks, SetDealAssignee } from '#lib/entities/deal.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Gives a deal to a member, or to nobody. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/deals/{id}/assignee',
    summary: 'Assign a deal',
    hasNoTool: true,
    scope: 'deals:write',
    query: DealInclude,
    expand: expandDeals,
    body: SetDealAssignee,
    status: 200,
    response: DealWithTasks,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getDeal(tx, id),
  },
  ({ tx, params, body }) => assignDeal(tx, params.id, body.userId),
);
