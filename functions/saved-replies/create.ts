import { CreateSavedReply, SavedReply } from '#lib/entities/saved-reply.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { createSavedReply } from '#lib/messages/saved-replies.ts';

/** Adds a saved reply. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/saved-replies',
    summary: 'Create a saved reply',
    hasNoTool: true,
    scope: 'contacts:write',
    body: CreateSavedReply,
    status: 201,
    response: SavedReply,
    errors: ['bad_request', 'conflict'],
  },
  ({ tx, body }) => createSavedReply(tx, body),
);
