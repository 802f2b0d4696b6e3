import { patchCompanyFields } from '#lib/contacts/companies.ts';
import { getCompanyFields } from '#lib/contacts/company-read.ts';
import { FieldValues, PatchFieldValues } from '#lib/entities/field.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Sets some custom values of a company; null clears one, the others stay. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/v1/companies/{id}/fields',
    summary: 'Change the custom fields of a company',
    hasNoTool: true,
    scope: 'companies:write',
    heavyDependency: 'the lists of public suffixes and of free-mail domains',
    body: PatchFieldValues,
    status: 200,
    response: FieldValues,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getCompanyFields(tx, id),
  },
  ({ tx, params, body }) => patchCompanyFields(tx, params.id, body.fields),
);
