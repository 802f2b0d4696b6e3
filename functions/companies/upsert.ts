import { upsertCompany } from '#lib/contacts/companies.ts';
import { expandCompanies } from '#lib/contacts/company-read.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { Company, CompanyInclude, reportedOfCompanies, UpsertCompany } from '#lib/entities/company.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Creates a company, or changes the one that matches. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/companies/upsert',
    summary: 'Create or change a company',
    scope: 'companies:write',
    heavyDependency: 'the lists of public suffixes and of free-mail domains',
    query: CompanyInclude,
    expand: expandCompanies,
    body: UpsertCompany,
    status: 201,
    otherStatuses: [200],
    response: Company,
    reported: reportedOfCompanies,
    errors: ['bad_request', 'conflict'],
    location: ({ id }) => `/v1/companies/${id}`,
    timeoutSeconds: longTimeoutSeconds,
  },
  async ({ tx, body, reply }) => {
    const { company, isNew } = await upsertCompany(tx, body);
    if (!isNew) reply.status = 200;
    return company;
  },
);
