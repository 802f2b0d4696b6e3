import { Deleted } from '#lib/core/schema.ts';
import { SavedReply } from '#lib/entities/saved-reply.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { deleteSavedReply, getSavedReply } from '#lib/messages/saved-replies.ts';

/** Deletes a saved reply. */
export const handler = endpoint(
  {
    method: 'DELETE',
    path: '/v1/saved-replies/{id}',
    summary: 'Delete a saved reply',
    hasNoTool: true,
    scope: 'contacts:write',
    status: 200,
    response: Deleted,
    errors: ['not_found', 'conflict'],
    current: (tx, { id }) => getSavedReply(tx, id),
    representation: SavedReply,
  },
  ({ tx, params }) => deleteSavedReply(tx, params.id),
);
