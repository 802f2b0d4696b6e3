import { assignContact } from '#lib/contacts/change.ts';
import { expandContacts } from '#lib/contacts/include.ts';
import { getContact } from '#lib/contacts/read.ts';
import { ContactInclude, ContactWithTags, SetContactAssignee } from '#lib/entities/contact.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Gives a contact to a member, or to nobody. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/contacts/{id}/assignee',
    summary: 'Assign a contact',
    scope: 'contacts:write',
    query: ContactInclude,
    expand: expandContacts,
    body: SetContactAssignee,
    status: 200,
    response: ContactWithTags,
    heavyDependency: 'the rules of phone numbers of all countries',
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getContact(tx, id),
  },
  ({ tx, params, body }) => assignContact(tx, params.id, body.userId),
);
