import { expandContacts } from '#lib/contacts/include.ts';
import { getContact } from '#lib/contacts/read.ts';
import { ContactInclude, ContactWithTags } from '#lib/entities/contact.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** One contact with its tags. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/contacts/{id}',
    summary: 'Get a contact',
    scope: 'contacts:read',
    query: ContactInclude,
    expand: expandContacts,
    status: 200,
    response: ContactWithTags,
    heavyDependency: 'the rules of phone numbers of all countries',
    errors: ['not_found'],
  },
  ({ tx, params }) => getContact(tx, params.id),
);
