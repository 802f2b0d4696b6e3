import { addAddress } from '#lib/contacts/addresses.ts';
import { getStoredContact } from '#lib/contacts/read.ts';
import { ContactAddress, CreateContactAddress } from '#lib/entities/contact-address.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Adds an e-mail address or a phone number to a contact. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/contacts/{id}/addresses',
    summary: 'Add an address to a contact',
    hasNoTool: true,
    scope: 'contacts:write',
    body: CreateContactAddress,
    status: 201,
    response: ContactAddress,
    heavyDependency: 'the rules of phone numbers of all countries',
    errors: ['bad_request', 'not_found', 'conflict'],
    location: (_, { id }) => `/v1/contacts/${id}/addresses`,
    exists: (tx, { id }) => getStoredContact(tx, id),
  },
  ({ tx, params, body }) => addAddress(tx, params.id, body),
);
