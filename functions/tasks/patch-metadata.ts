import { MetadataAnswer, PatchMetadata } from '#lib/core/metadata.ts';
import { getTaskMetadata } from '#lib/deals/task-read.ts';
import { patchTaskMetadata } from '#lib/deals/task-store.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Sets some of the caller's own key and value pairs of a task; null removes one, the others stay. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/v1/tasks/{id}/metadata',
    summary: 'Change the metadata of a task',
    scope: 'tasks:write',
    body: PatchMetadata,
    status: 200,
    response: MetadataAnswer,
    errors: ['bad_request', 'not_found'],
    current: (tx, { id }) => getTaskMetadata(tx, id),
  },
  ({ tx, params, body }) => patchTaskMetadata(tx, params.id, body.metadata),
);
