import { getContact } from '#lib/contacts/read.ts';
import { addNote } from '#lib/contacts/timeline.ts';
import { Activity, CreateNote } from '#lib/entities/activity.ts';
import { ContactWithTags } from '#lib/entities/contact.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Adds a note to the timeline of a contact. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/contacts/{id}/activities',
    summary: 'Add a note to a contact',
    scope: 'contacts:write',
    body: CreateNote,
    status: 201,
    response: Activity,
    errors: ['bad_request', 'not_found'],
    current: (tx, { id }) => getContact(tx, id),
    representation: ContactWithTags,
  },
  ({ tx, params, body }) => addNote(tx, params.id, body),
);
