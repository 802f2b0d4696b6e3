import { putCompanyMetadata } from '#lib/contacts/companies.ts';
import { getCompanyMetadata } from '#lib/contacts/company-read.ts';
import { MetadataAnswer, PutMetadata } from '#lib/core/metadata.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Replaces the caller's own key and value pairs of a company. */
export const handler = endpoint(
  {
    method: 'PUT',
    path: '/v1/companies/{id}/metadata',
    summary: 'Replace the metadata of a company',
    hasNoTool: true,
    scope: 'companies:write',
    heavyDependency: 'the lists of public suffixes and of free-mail domains',
    body: PutMetadata,
    status: 200,
    response: MetadataAnswer,
    errors: ['bad_request', 'not_found'],
    current: (tx, { id }) => getCompanyMetadata(tx, id),
  },
  ({ tx, params, body }) => putCompanyMetadata(tx, params.id, body.metadata),
);
