import { expandCompanies, getStoredCompany } from '#lib/contacts/company-read.ts';
import { Company, CompanyInclude, reportedOfCompanies } from '#lib/entities/company.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** One company. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/companies/{id}',
    summary: 'Get a company',
    scope: 'companies:read',
    query: CompanyInclude,
    expand: expandCompanies,
    status: 200,
    response: Company,
    reported: reportedOfCompanies,
    errors: ['not_found'],
  },
  ({ tx, params }) => getStoredCompany(tx, params.id),
);
