import { PatchSavedReply, SavedReply } from '#lib/entities/saved-reply.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getSavedReply, patchSavedReply } from '#lib/messages/saved-replies.ts';

/** Changes fields of a saved reply. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/v1/saved-replies/{id}',
    summary: 'Change a saved reply',
    hasNoTool: true,
    scope: 'contacts:write',
    body: PatchSavedReply,
    status: 200,
    response: SavedReply,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getSavedReply(tx, id),
  },
  ({ tx, params, body }) => patchSavedReply(tx, params.id, body),
);
