import { MetadataAnswer, PutMetadata } from '#lib/core/metadata.ts';
import { getDealMetadata } from '#lib/deals/read.ts';
import { putDealMetadata } from '#lib/deals/store.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Replaces the caller's own key and value pairs of a deal. */
export const handler = endpoint(
  {
    method: 'PUT',
    path: '/v1/deals/{id}/metadata',
    summary: 'Replace the metadata of a deal',
    hasNoTool: true,
    scope: 'deals:write',
    body: PutMetadata,
    status: 200,
    response: MetadataAnswer,
    errors: ['bad_request', 'not_found'],
    current: (tx, { id }) => getDealMetadata(tx, id),
  },
  ({ tx, params, body }) => putDealMetadata(tx, params.id, body.metadata),
);
