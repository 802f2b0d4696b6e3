import { listAddresses } from '#lib/contacts/include.ts';
import { ContactAddresses } from '#lib/entities/contact-address.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** The e-mail addresses and phone numbers of a contact, primary ones first. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/contacts/{id}/addresses',
    summary: 'List the addresses of a contact',
    hasNoTool: true,
    scope: 'contacts:read',
    status: 200,
    response: ContactAddresses,
    heavyDependency: 'the rules of phone numbers of all countries',
    errors: ['not_found'],
  },
  ({ tx, params }) => listAddresses(tx, params.id),
);
