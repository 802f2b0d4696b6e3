import { getContactMetadata } from '#lib/contacts/metadata.ts';
import { MetadataAnswer } from '#lib/core/metadata.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** The caller's own key and value pairs of a contact. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/contacts/{id}/metadata',
    summary: 'Get the metadata of a contact',
    scope: 'contacts:read',
    status: 200,
    response: MetadataAnswer,
    errors: ['not_found'],
  },
  ({ tx, params }) => getContactMetadata(tx, params.id),
);
