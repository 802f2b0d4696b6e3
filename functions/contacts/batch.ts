import { ContactBatch, ContactBatchResults, contactOps } from '#lib/contacts/batch.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { runBatch } from '#lib/table/batch.ts';

/** Up to a hundred creations and changes in one call. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/contacts/batch',
    summary: 'Create, change and tag contacts in one call',
    description:
      'An item is `{"op": "create", …}`, `{"op": "update", "id", …}`, `{"op": "upsert", "matchOn", …}`, `{"op": "addTag", "id", …}` or `{"op": "removeTag", "id", "tagId"}` with the fields of the single calls. With `atomic`, of at most 10 items, any failure undoes everything. Where the answer would be more than 5 MB, results that have no room have the `id` instead of the resource.',
    scope: 'contacts:write',
    body: ContactBatch,
    status: 200,
    response: ContactBatchResults,
    errors: ['bad_request'],
    timeoutSeconds: longTimeoutSeconds,
  },
  (input) => runBatch(input, 'contact', contactOps),
);
