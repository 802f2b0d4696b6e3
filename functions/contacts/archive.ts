import { archiveContact } from '#lib/contacts/archive.ts';
import { expandContacts } from '#lib/contacts/include.ts';
import { getContact } from '#lib/contacts/read.ts';
import { Nothing } from '#lib/core/schema.ts';
import { ContactInclude, ContactWithTags } from '#lib/entities/contact.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Takes a contact out of lists and counts; it is kept, and comes back with a restore. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/contacts/{id}/archive',
    summary: 'Archive a contact',
    hasNoTool: true,
    scope: 'contacts:write',
    query: ContactInclude,
    expand: expandContacts,
    body: Nothing,
    status: 200,
    response: ContactWithTags,
    heavyDependency: 'the rules of phone numbers of all countries',
    errors: ['bad_request', 'not_found'],
    current: (tx, { id }) => getContact(tx, id),
  },
  ({ tx, params }) => archiveContact(tx, params.id),
);
