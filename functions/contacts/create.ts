import { createContact } from '#lib/contacts/create.ts';
import { expandContacts } from '#lib/contacts/include.ts';
import { ContactInclude, ContactWithTags, CreateContact } from '#lib/entities/contact.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Adds one person; a name, a username or a phone is enough. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/contacts',
    summary: 'Create a contact',
    scope: 'contacts:write',
    query: ContactInclude,
    expand: expandContacts,
    body: CreateContact,
    status: 201,
    response: ContactWithTags,
    heavyDependency: 'the rules of phone numbers of all countries',
    errors: ['bad_request', 'conflict'],
  },
  ({ tx, body }) => createContact(tx, body),
);
