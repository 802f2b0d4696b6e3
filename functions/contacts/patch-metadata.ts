import { getContactMetadata, patchContactMetadata } from '#lib/contacts/metadata.ts';
import { MetadataAnswer, PatchMetadata } from '#lib/core/metadata.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Sets some of the caller's own key and value pairs of a contact; null removes one, the others stay. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/v1/contacts/{id}/metadata',
    summary: 'Change the metadata of a contact',
    scope: 'contacts:write',
    body: PatchMetadata,
    status: 200,
    response: MetadataAnswer,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getContactMetadata(tx, id),
  },
  ({ tx, params, body }) => patchContactMetadata(tx, params.id, body.metadata),
);
