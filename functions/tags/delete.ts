import { deleteTag } from '#lib/contacts/delete-tag.ts';
import { getTag } from '#lib/contacts/tags.ts';
import { Deleted } from '#lib/core/schema.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { DictionaryTag } from '#lib/entities/tag.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Deletes a tag and takes it off every contact and out of the filters of webhooks. */
export const handler = endpoint(
  {
    method: 'DELETE',
    path: '/v1/tags/{id}',
    summary: 'Delete a tag',
    scope: 'contacts:write',
    status: 200,
    response: Deleted,
    errors: ['not_found', 'conflict'],
    current: (tx, { id }) => getTag(tx, id),
    representation: DictionaryTag,
    reported: ['contactCount'],
    timeoutSeconds: longTimeoutSeconds,
  },
  ({ tx, params }) => deleteTag(tx, params.id),
);
