import { MetadataAnswer, PutMetadata } from '#lib/core/metadata.ts';
import { getTaskMetadata } from '#lib/deals/task-read.ts';
import { putTaskMetadata } from '#lib/deals/task-store.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Replaces the caller's own key and value pairs of a task. */
export const handler = endpoint(
  {
    method: 'PUT',
    path: '/v1/tasks/{id}/metadata',
    summary: 'Replace the metadata of a task',
    hasNoTool: true,
    scope: 'tasks:write',
    body: PutMetadata,
    status: 200,
    response: MetadataAnswer,
    errors: ['bad_request', 'not_found'],
    current: (tx, { id }) => getTaskMetadata(tx, id),
  },
  ({ tx, params, body }) => putTaskMetadata(tx, params.id, body.metadata),
);
