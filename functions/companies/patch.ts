import { patchCompany } from '#lib/contacts/companies.ts';
import { expandCompanies, getStoredCompany } from '#lib/contacts/company-read.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { Company, CompanyInclude, PatchCompany, readOnlyInPatch, reportedOfCompanies } from '#lib/entities/company.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Changes fields of a company; null clears. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/v1/companies/{id}',
    summary: 'Change a company',
    scope: 'companies:write',
    heavyDependency: 'the lists of public suffixes and of free-mail domains',
    query: CompanyInclude,
    expand: expandCompanies,
    body: PatchCompany,
    readOnly: readOnlyInPatch,
    status: 200,
    response: Company,
    reported: reportedOfCompanies,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getStoredCompany(tx, id),
    timeoutSeconds: longTimeoutSeconds,
  },
  ({ tx, params, body }) => patchCompany(tx, params.id, body),
);
