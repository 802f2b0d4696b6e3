import { Nothing } from '#lib/core/schema.ts';
import { Conversation, followingMessages } from '#lib/entities/conversation.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getConversation } from '#lib/messages/conversation.ts';
import { readConversation } from '#lib/messages/conversation-change.ts';

/** Marks all messages of a conversation as read. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/conversations/{id}/read',
    summary: 'Mark a conversation as read',
    scope: 'contacts:write',
    hasNoTool: true,
    body: Nothing,
    status: 200,
    response: Conversation,
    reported: followingMessages,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getConversation(tx, id),
  },
  ({ tx, params, caller }) => readConversation(tx, params.id, caller.scopes.includes('email:read')),
);
