import { createCompany } from '#lib/contacts/companies.ts';
import { expandCompanies } from '#lib/contacts/company-read.ts';
import { Company, CompanyInclude, CreateCompany, reportedOfCompanies } from '#lib/entities/company.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Adds a company; a name is enough. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/companies',
    summary: 'Create a company',
    scope: 'companies:write',
    heavyDependency: 'the lists of public suffixes and of free-mail domains',
    query: CompanyInclude,
    expand: expandCompanies,
    body: CreateCompany,
    status: 201,
    response: Company,
    reported: reportedOfCompanies,
    errors: ['bad_request', 'conflict'],
  },
  ({ tx, body }) => createCompany(tx, body),
);
