import { changeContact } from '#lib/contacts/change.ts';
import { expandContacts } from '#lib/contacts/include.ts';
import { getContact } from '#lib/contacts/read.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { ContactInclude, ContactWithTags, PatchContact, readOnlyInPatch } from '#lib/entities/contact.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Changes fields of a contact; null clears. At least one of name, username, phone must remain. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/v1/contacts/{id}',
    summary: 'Change a contact',
    scope: 'contacts:write',
    query: ContactInclude,
    expand: expandContacts,
    body: PatchContact,
    readOnly: readOnlyInPatch,
    status: 200,
    response: ContactWithTags,
    heavyDependency: 'the rules of phone numbers of all countries',
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getContact(tx, id),
    timeoutSeconds: longTimeoutSeconds,
  },
  ({ tx, params, body }) => changeContact(tx, params.id, body),
);
