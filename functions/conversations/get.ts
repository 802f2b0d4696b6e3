import { Conversation, followingMessages } from '#lib/entities/conversation.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getConversation } from '#lib/messages/conversation.ts';

/** One conversation. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/conversations/{id}',
    summary: 'Get a conversation',
    scope: 'contacts:read',
    hasNoTool: true,
    status: 200,
    response: Conversation,
    reported: followingMessages,
    errors: ['not_found'],
  },
  ({ tx, params, caller }) => getConversation(tx, params.id, caller.scopes.includes('email:read')),
);
