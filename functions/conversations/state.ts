import { Conversation, followingMessages, SetConversationState } from '#lib/entities/conversation.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getConversation } from '#lib/messages/conversation.ts';
import { setConversationState } from '#lib/messages/conversation-change.ts';

/** Sets the state of a conversation. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/conversations/{id}/state',
    summary: 'Open, snooze, or end a conversation',
    scope: 'contacts:write',
    hasNoTool: true,
    body: SetConversationState,
    status: 200,
    response: Conversation,
    reported: followingMessages,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getConversation(tx, id),
  },
  ({ tx, params, body, caller }) => setConversationState(tx, params.id, body, caller.scopes.includes('email:read')),
);
