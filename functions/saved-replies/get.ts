import { SavedReply } from '#lib/entities/saved-reply.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getSavedReply } from '#lib/messages/saved-replies.ts';

/** Returns one saved reply. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/saved-replies/{id}',
    summary: 'Get a saved reply',
    hasNoTool: true,
    scope: 'contacts:read',
    status: 200,
    response: SavedReply,
    errors: ['not_found'],
  },
  ({ tx, params }) => getSavedReply(tx, params.id),
);
