import { getContactCompanies } from '#lib/contacts/shown-companies.ts';
import { ContactCompanies } from '#lib/entities/contact.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** The companies of a contact, as they were put. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/contacts/{id}/companies',
    summary: 'List the companies of a contact',
    hasNoTool: true,
    scope: 'contacts:read',
    status: 200,
    response: ContactCompanies,
    errors: ['not_found'],
  },
  ({ tx, params }) => getContactCompanies(tx, params.id),
);
