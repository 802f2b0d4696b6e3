import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { DealBatch, DealBatchResults, dealOps } from '#lib/deals/batch.ts';
import { expandDeals } from '#lib/deals/include.ts';
import { DealInclude } from '#lib/entities/deal.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { runBatch } from '#lib/table/batch.ts';

/** Up to a hundred creations, changes and stage moves in one call. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/deals/batch',
    summary: 'Create, change and move deals in one call',
    scope: 'deals:write',
    query: DealInclude,
    expand: expandDeals,
    body: DealBatch,
    status: 200,
    response: DealBatchResults,
    errors: ['bad_request'],
    timeoutSeconds: longTimeoutSeconds,
  },
  (input) => runBatch(input, 'deal', dealOps),
);
