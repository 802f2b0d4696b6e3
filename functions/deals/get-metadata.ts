import { MetadataAnswer } from '#lib/core/metadata.ts';
import { getDealMetadata } from '#lib/deals/read.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** The caller's own key and value pairs of a deal. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/deals/{id}/metadata',
    summary: 'Get the metadata of a deal',
    scope: 'deals:read',
    status: 200,
    response: MetadataAnswer,
    errors: ['not_found'],
  },
  ({ tx, params }) => getDealMetadata(tx, params.id),
);
