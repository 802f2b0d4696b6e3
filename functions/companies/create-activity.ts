import { addCompanyNote } from '#lib/contacts/company-activities.ts';
import { getStoredCompany } from '#lib/contacts/company-read.ts';
import { Company, CompanyActivity, CreateCompanyNote, reportedOfCompanies } from '#lib/entities/company.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Adds a note to the history of a company. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/companies/{id}/activities',
    summary: 'Add a note to a company',
    scope: 'companies:write',
    body: CreateCompanyNote,
    status: 201,
    response: CompanyActivity,
    errors: ['bad_request', 'not_found'],
    current: (tx, { id }) => getStoredCompany(tx, id),
    representation: Company,
    reported: reportedOfCompanies,
  },
  ({ tx, params, body }) => addCompanyNote(tx, params.id, body),
);
