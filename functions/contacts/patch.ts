import { ContactWithTags, PatchContact } from '#lib/contacts/contact.ts';
import { getContact, patchContact } from '#lib/contacts/store.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Changes fields of a contact; null clears. At least one of name, username, phone must remain. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/v1/contacts/{id}',
    summary: 'Change a contact',
    scope: 'contacts:write',
    body: PatchContact,
    misplaced: {
      platform: 'POST /v1/contacts: the platform of a contact is fixed',
      stage: 'POST /v1/contacts/{id}/stage',
      assignedToUserId: 'POST /v1/contacts/{id}/assignee',
      leadScore: 'POST /v1/contacts/{id}/lead-score',
      tags: 'POST /v1/contacts/{id}/tags',
    },
    status: 200,
    response: ContactWithTags,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getContact(tx, id),
  },
  ({ tx, params, body }) => patchContact(tx, params.id, body),
);
