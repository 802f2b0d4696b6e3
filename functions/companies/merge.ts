import { mergeCompanies } from '#lib/contacts/company-merge.ts';
import { expandCompanies, getStoredCompany } from '#lib/contacts/company-read.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { Company, CompanyInclude, MergeCompanies, reportedOfCompanies } from '#lib/entities/company.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Makes one company of two; contacts, deals, domains, and notes follow. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/companies/{id}/merge',
    summary: 'Merge another company into this one',
    hasNoTool: true,
    scope: 'companies:write',
    query: CompanyInclude,
    expand: expandCompanies,
    body: MergeCompanies,
    status: 200,
    response: Company,
    reported: reportedOfCompanies,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getStoredCompany(tx, id),
    timeoutSeconds: longTimeoutSeconds,
  },
  ({ tx, params, body }) => mergeCompanies(tx, params.id, body),
);
