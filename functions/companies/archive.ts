import { archiveCompany } from '#lib/contacts/company-archive.ts';
import { expandCompanies, getStoredCompany } from '#lib/contacts/company-read.ts';
import { Nothing } from '#lib/core/schema.ts';
import { Company, CompanyInclude, reportedOfCompanies } from '#lib/entities/company.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Takes a company out of lists and counts; it is kept, and comes back with a restore. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/companies/{id}/archive',
    summary: 'Archive a company',
    hasNoTool: true,
    scope: 'companies:write',
    query: CompanyInclude,
    expand: expandCompanies,
    body: Nothing,
    status: 200,
    response: Company,
    reported: reportedOfCompanies,
    errors: ['bad_request', 'not_found'],
    current: (tx, { id }) => getStoredCompany(tx, id),
  },
  ({ tx, params }) => archiveCompany(tx, params.id),
);
