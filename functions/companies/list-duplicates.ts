import { listCompanyDuplicates } from '#lib/contacts/company-list.ts';
import { expandCompanies } from '#lib/contacts/company-read.ts';
import { listOf } from '#lib/core/schema.ts';
import { Company, CompanyDuplicateQuery } from '#lib/entities/company.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Companies that seem to be the same one. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/companies/{id}/duplicates',
    summary: 'List possible duplicates of a company',
    hasNoTool: true,
    scope: 'companies:read',
    query: CompanyDuplicateQuery,
    expand: expandCompanies,
    status: 200,
    response: listOf(Company),
    errors: ['bad_request', 'not_found'],
  },
  ({ tx, params, query }) => listCompanyDuplicates(tx, params.id, query),
);
