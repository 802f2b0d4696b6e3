import { changeContact } from '#lib/contacts/change.ts';
import { expandContacts } from '#lib/contacts/include.ts';
import { getContact } from '#lib/contacts/read.ts';
import { ContactInclude, ContactWithTags, SetContactStage } from '#lib/entities/contact.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Moves a contact to another stage; any stage may follow any other. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/contacts/{id}/stage',
    summary: 'Move a contact to a stage',
    scope: 'contacts:write',
    query: ContactInclude,
    expand: expandContacts,
    body: SetContactStage,
    status: 200,
    response: ContactWithTags,
    heavyDependency: 'the rules of phone numbers of all countries',
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getContact(tx, id),
  },
  ({ tx, params, body }) => changeContact(tx, params.id, body),
);
