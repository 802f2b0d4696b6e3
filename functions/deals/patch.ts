import { expandDeals } from '#lib/deals/include.ts';
import { getDeal } from '#lib/deals/read.ts';
import { patchDeal } from '#lib/deals/store.ts';
import { DealInclude, DealWithTasks, PatchDeal, readOnlyInPatch } from '#lib/entities/deal.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Changes fields of a deal; null clears. Value and currency of a Won deal are fixed. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/v1/deals/{id}',
    summary: 'Change a deal',
    scope: 'deals:write',
    query: DealInclude,
    expand: expandDeals,
    body: PatchDeal,
    readOnly: readOnlyInPatch,
    status: 200,
    response: DealWithTasks,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getDeal(tx, id),
  },
  ({ tx, params, body }) => patchDeal(tx, params.id, body),
);
