import { Conversation, followingMessages, SetConversationAssignee } from '#lib/entities/conversation.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getConversation } from '#lib/messages/conversation.ts';
import { assignConversation } from '#lib/messages/conversation-change.ts';

/** Gives a conversation to a member, or to nobody. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/conversations/{id}/assignee',
    summary: 'Assign a conversation',
    scope: 'contacts:write',
    hasNoTool: true,
    body: SetConversationAssignee,
    status: 200,
    response: Conversation,
    reported: followingMessages,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getConversation(tx, id),
  },
  ({ tx, params, body, caller }) =>
    assignConversation(tx, params.id, body.userId, caller.scopes.includes('email:read')),
);
