import { patchCompanyMetadata } from '#lib/contacts/companies.ts';
import { getCompanyMetadata } from '#lib/contacts/company-read.ts';
import { MetadataAnswer, PatchMetadata } from '#lib/core/metadata.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Sets some of the caller's own key and value pairs of a company; null removes one. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/v1/companies/{id}/metadata',
    summary: 'Change the metadata of a company',
    hasNoTool: true,
    scope: 'companies:write',
    heavyDependency: 'the lists of public suffixes and of free-mail domains',
    body: PatchMetadata,
    status: 200,
    response: MetadataAnswer,
    errors: ['bad_request', 'not_found'],
    current: (tx, { id }) => getCompanyMetadata(tx, id),
  },
  ({ tx, params, body }) => patchCompanyMetadata(tx, params.id, body.metadata),
);
