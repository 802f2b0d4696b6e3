import { listOf } from '#lib/core/schema.ts';
import { Message, MessageQuery } from '#lib/entities/message.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { listMessages } from '#lib/messages/store.ts';

/** The conversation with a contact on every channel, newest first. Reading does not mark it as read. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/contacts/{id}/messages',
    summary: "List a contact's messages",
    scope: 'contacts:read',
    query: MessageQuery,
    status: 200,
    response: listOf(Message),
    errors: ['bad_request', 'not_found'],
  },
  async ({ tx, params, query }) => {
    const page = await listMessages(tx, params.id, query);
    return { ...page, items: page.items.map((message) => ({ ...message, contactId: params.id })) };
  },
);
