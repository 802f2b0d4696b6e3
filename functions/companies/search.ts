import { expandCompanies } from '#lib/contacts/company-read.ts';
import { foundOf, searchBody, searchMemoryMb } from '#lib/core/search-body.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { Company, CompanyInclude } from '#lib/entities/company.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { search } from '#lib/search/search.ts';

/** Companies by any filter, in any order. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/companies/search',
    summary: 'Search companies',
    isQuery: true,
    scope: 'companies:read',
    expand: expandCompanies,
    body: searchBody(CompanyInclude.entries, 'SearchCompanies'),
    status: 200,
    response: foundOf(Company),
    heavyDependency: 'the client of S3 and the reader of Parquet',
    needs: ['read-copies'],
    errors: ['bad_request'],
    isSlow: true,
    timeoutSeconds: longTimeoutSeconds,
    memoryMb: searchMemoryMb,
  },
  ({ tx, caller, body }) => search(tx, caller, 'company', body),
);
