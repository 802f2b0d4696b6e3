import { CompanyBatch, CompanyBatchResults, companyOps } from '#lib/contacts/company-batch.ts';
import { expandCompanies } from '#lib/contacts/company-read.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { CompanyInclude } from '#lib/entities/company.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { runBatch } from '#lib/table/batch.ts';

/** Up to a hundred creations and changes in one call. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/companies/batch',
    summary: 'Create and change companies in one call',
    hasNoTool: true,
    scope: 'companies:write',
    query: CompanyInclude,
    expand: expandCompanies,
    heavyDependency: 'the lists of public suffixes and of free-mail domains',
    body: CompanyBatch,
    status: 200,
    response: CompanyBatchResults,
    errors: ['bad_request'],
    timeoutSeconds: longTimeoutSeconds,
  },
  (input) => runBatch(input, 'company', companyOps),
);
