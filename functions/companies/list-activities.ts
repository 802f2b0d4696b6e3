import { listCompanyActivities } from '#lib/contacts/company-activities.ts';
import { listOf } from '#lib/core/schema.ts';
import { CompanyActivity, CompanyActivityQuery } from '#lib/entities/company.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Notes and changes of a company, newest first. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/companies/{id}/activities',
    summary: 'List the history of a company',
    scope: 'companies:read',
    query: CompanyActivityQuery,
    status: 200,
    response: listOf(CompanyActivity),
    errors: ['bad_request', 'not_found'],
  },
  ({ tx, params, query }) => listCompanyActivities(tx, params.id, query),
);
