import { getTaskFields } from '#lib/deals/task-read.ts';
import { FieldValues } from '#lib/entities/field.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** The custom values of a task, null where none is set. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/tasks/{id}/fields',
    summary: 'Get the custom fields of a task',
    hasNoTool: true,
    scope: 'tasks:read',
    status: 200,
    response: FieldValues,
    errors: ['not_found'],
  },
  ({ tx, params }) => getTaskFields(tx, params.id),
);
