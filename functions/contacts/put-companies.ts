import { putContactCompanies } from '#lib/contacts/company-links.ts';
import { getContactCompanies } from '#lib/contacts/shown-companies.ts';
import { ContactCompanies, PutContactCompanies } from '#lib/entities/contact.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Replaces the companies of a contact; exactly one is the primary one. */
export const handler = endpoint(
  {
    method: 'PUT',
    path: '/v1/contacts/{id}/companies',
    summary: 'Replace the companies of a contact',
    hasNoTool: true,
    scope: 'contacts:write',
    body: PutContactCompanies,
    status: 200,
    response: ContactCompanies,
    errors: ['bad_request', 'not_found'],
    current: (tx, { id }) => getContactCompanies(tx, id),
  },
  ({ tx, params, body }) => putContactCompanies(tx, params.id, body),
);
