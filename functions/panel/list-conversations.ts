import { roles } from '#lib/core/choices.ts';
import { listOf } from '#lib/core/schema.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { Conversation, ConversationQuery, listConversations } from '#lib/messages/conversations.ts';

/** The conversations of the inbox: those with something unread first, then by their last message. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/panel/conversations',
    summary: 'List conversations',
    scope: 'contacts:read',
    roles,
    isUndocumented: true,
    query: ConversationQuery,
    status: 200,
    response: listOf(Conversation),
    errors: ['bad_request'],
  },
  ({ tx, query }) => listConversations(tx, query),
);
