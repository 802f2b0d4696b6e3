import { restoreCompany } from '#lib/contacts/company-archive.ts';
import { expandCompanies, getStoredCompany } from '#lib/contacts/company-read.ts';
import { Nothing } from '#lib/core/schema.ts';
import { Company, CompanyInclude, reportedOfCompanies } from '#lib/entities/company.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Brings an archived company back. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/companies/{id}/restore',
    summary: 'Restore a company',
    hasNoTool: true,
    scope: 'companies:write',
    query: CompanyInclude,
    expand: expandCompanies,
    body: Nothing,
    status: 200,
    response: Company,
    reported: reportedOfCompanies,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getStoredCompany(tx, id),
  },
  ({ tx, params }) => restoreCompany(tx, params.id),
);
