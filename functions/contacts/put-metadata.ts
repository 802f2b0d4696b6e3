import { getContactMetadata, putContactMetadata } from '#lib/contacts/metadata.ts';
import { MetadataAnswer, PutMetadata } from '#lib/core/metadata.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Replaces the caller's own key and value pairs of a contact. */
export const handler = endpoint(
  {
    method: 'PUT',
    path: '/v1/contacts/{id}/metadata',
    summary: 'Replace the metadata of a contact',
    hasNoTool: true,
    scope: 'contacts:write',
    body: PutMetadata,
    status: 200,
    response: MetadataAnswer,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getContactMetadata(tx, id),
  },
  ({ tx, params, body }) => putContactMetadata(tx, params.id, body.metadata),
);
