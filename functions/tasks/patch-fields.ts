import { getTaskFields } from '#lib/deals/task-read.ts';
import { patchTaskFields } from '#lib/deals/task-store.ts';
import { FieldValues, PatchFieldValues } from '#lib/entities/field.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Sets some custom values of a task; null clears one, the others stay. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/v1/tasks/{id}/fields',
    summary: 'Change the custom fields of a task',
    hasNoTool: true,
    scope: 'tasks:write',
    body: PatchFieldValues,
    status: 200,
    response: FieldValues,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getTaskFields(tx, id),
  },
  ({ tx, params, body }) => patchTaskFields(tx, params.id, body.fields),
);
