import { ConversationList, ConversationQuery } from '#lib/entities/conversation.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { listConversations } from '#lib/messages/conversation-list.ts';

/** Conversations by their last message, newest first; every filter may be combined with every other. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/conversations',
    summary: 'List and search conversations',
    scope: 'contacts:read',
    hasNoTool: true,
    query: ConversationQuery,
    status: 200,
    response: ConversationList,
    heavyDependency: 'the client of S3 and the reader of Parquet',
    needs: ['ask-copies', 'read-copies'],
    errors: ['bad_request'],
  },
  ({ tx, query, caller }) => listConversations(tx, query, caller.scopes.includes('email:read')),
);
