import { roles } from '#lib/core/choices.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { countUnreadConversations, UnreadConversations } from '#lib/messages/conversations.ts';

/** How many conversations have something unread. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/panel/conversations/unread',
    summary: 'Count unread conversations',
    scope: 'contacts:read',
    roles,
    isUndocumented: true,
    status: 200,
    response: UnreadConversations,
    errors: [],
  },
  ({ tx, caller }) => countUnreadConversations(tx, caller.scopes.includes('email:read')),
);
