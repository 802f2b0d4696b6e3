import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { DealBatch, DealBatchResults, dealOps } from '#lib/deals/batch.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { runBatch } from '#lib/table/batch.ts';

/** Up to a hundred creations, changes and stage moves in one call. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/deals/batch',
    summary: 'Create, change and move deals in one call',
    description:
      'An item is `{"op": "create", …}`, `{"op": "update", "id", …}` or `{"op": "stage", "id", "stage"}` with the fields of the single calls. With `atomic`, of at most 10 items, any failure undoes everything. Where the answer would be more than 5 MB, results that have no room have the `id` instead of the resource.',
    scope: 'deals:write',
    body: DealBatch,
    status: 200,
    response: DealBatchResults,
    errors: ['bad_request'],
    timeoutSeconds: longTimeoutSeconds,
  },
  (input) => runBatch(input, 'deal', dealOps),
);
