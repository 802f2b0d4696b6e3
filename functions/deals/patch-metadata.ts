import { MetadataAnswer, PatchMetadata } from '#lib/core/metadata.ts';
import { getDealMetadata } from '#lib/deals/read.ts';
import { patchDealMetadata } from '#lib/deals/store.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Sets some of the caller's own key and value pairs of a deal; null removes one, the others stay. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/v1/deals/{id}/metadata',
    summary: 'Change the metadata of a deal',
    scope: 'deals:write',
    body: PatchMetadata,
    status: 200,
    response: MetadataAnswer,
    errors: ['bad_request', 'not_found'],
    current: (tx, { id }) => getDealMetadata(tx, id),
  },
  ({ tx, params, body }) => patchDealMetadata(tx, params.id, body.metadata),
);
