import { roles } from '#lib/core/choices.ts';
import { ConversationQuery } from '#lib/entities/conversation.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { InboxPage, listInbox } from '#lib/messages/conversations.ts';

/** The conversations of the inbox, by their last message, with the person of each. */
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
    response: InboxPage,
    heavyDependency: 'the client of S3 and the reader of Parquet',
    needs: ['ask-copies', 'read-copies'],
    errors: ['bad_request'],
  },
  ({ tx, query, caller }) => listInbox(tx, query, caller.scopes.includes('email:read')),
);
