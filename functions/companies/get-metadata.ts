import { getCompanyMetadata } from '#lib/contacts/company-read.ts';
import { MetadataAnswer } from '#lib/core/metadata.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** The caller's own key and value pairs of a company. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/companies/{id}/metadata',
    summary: 'Get the metadata of a company',
    hasNoTool: true,
    scope: 'companies:read',
    status: 200,
    response: MetadataAnswer,
    errors: ['not_found'],
  },
  ({ tx, params }) => getCompanyMetadata(tx, params.id),
);
