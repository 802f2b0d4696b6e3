import { getContact } from '#lib/contacts/read.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { ContactWithTags } from '#lib/entities/contact.ts';
import { MessagesRead, ReadMessages } from '#lib/entities/message.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { markInboundRead } from '#lib/messages/read.ts';

/** Marks what a contact has written as read. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/contacts/{id}/messages/read',
    summary: "Mark a contact's messages as read",
    scope: 'contacts:write',
    body: ReadMessages,
    status: 200,
    response: MessagesRead,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getContact(tx, id),
    representation: ContactWithTags,
    timeoutSeconds: longTimeoutSeconds,
  },
  async ({ tx, params, body }) => ({ read: await markInboundRead(tx, params.id, body) }),
);
