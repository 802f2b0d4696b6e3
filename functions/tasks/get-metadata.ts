import { MetadataAnswer } from '#lib/core/metadata.ts';
import { getTaskMetadata } from '#lib/deals/task-read.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** The caller's own key and value pairs of a task. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/tasks/{id}/metadata',
    summary: 'Get the metadata of a task',
    scope: 'tasks:read',
    status: 200,
    response: MetadataAnswer,
    errors: ['not_found'],
  },
  ({ tx, params }) => getTaskMetadata(tx, params.id),
);
