import { getContact } from '#lib/contacts/read.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { ContactWithTags } from '#lib/entities/contact.ts';
import { EraseContact, Erasure } from '#lib/entities/erasure.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { eraseContact } from '#lib/privacy/erasure/start.ts';

/** Erases a person: the contact is gone at once, everything about it soon after. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/contacts/{id}/erasure',
    summary: 'Erase a contact and everything about it',
    scope: 'contacts:erase',
    body: EraseContact,
    status: 202,
    response: Erasure,
    representation: ContactWithTags,
    errors: ['bad_request', 'not_found'],
    current: (tx, { id }) => getContact(tx, id),
    location: ({ id }) => `/v1/erasures/${id}`,
    timeoutSeconds: longTimeoutSeconds,
  },
  ({ tx, params, body }) => eraseContact(tx, params.id, body),
);
