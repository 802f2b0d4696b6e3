import { listCompanies } from '#lib/contacts/company-list.ts';
import { expandCompanies } from '#lib/contacts/company-read.ts';
import { listOf } from '#lib/core/schema.ts';
import { Company, CompanyQuery } from '#lib/entities/company.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Companies, newest first; every filter may be combined with every other. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/companies',
    summary: 'List and search companies',
    scope: 'companies:read',
    query: CompanyQuery,
    expand: expandCompanies,
    status: 200,
    response: listOf(Company),
    heavyDependency: 'the client of S3, and the reader of Parquet',
    needs: ['ask-copies', 'read-copies'],
    errors: ['bad_request'],
  },
  ({ tx, query }) => listCompanies(tx, query),
);
