import { listOf } from '#lib/core/schema.ts';
import { SavedReply, SavedReplyQuery } from '#lib/entities/saved-reply.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { listSavedReplies } from '#lib/messages/saved-replies.ts';

/** Lists saved replies, newest first. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/saved-replies',
    summary: 'List saved replies',
    hasNoTool: true,
    scope: 'contacts:read',
    query: SavedReplyQuery,
    status: 200,
    response: listOf(SavedReply),
    errors: ['bad_request'],
  },
  ({ tx, query }) => listSavedReplies(tx, query),
);
