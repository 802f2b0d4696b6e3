import { getCompanyFields } from '#lib/contacts/company-read.ts';
import { FieldValues } from '#lib/entities/field.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** The custom values of a company, null where none is set. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/companies/{id}/fields',
    summary: 'Get the custom fields of a company',
    hasNoTool: true,
    scope: 'companies:read',
    status: 200,
    response: FieldValues,
    errors: ['not_found'],
  },
  ({ tx, params }) => getCompanyFields(tx, params.id),
);
