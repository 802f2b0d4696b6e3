import { fixedInPatch } from '#lib/core/metadata.ts';
import { expandTasks } from '#lib/deals/include.ts';
import { getTask } from '#lib/deals/task-read.ts';
import { patchTask } from '#lib/deals/task-store.ts';
import { PatchTask, Task, TaskInclude } from '#lib/entities/task.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Changes fields of a task; null clears. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/v1/tasks/{id}',
    summary: 'Change a task',
    scope: 'tasks:write',
    query: TaskInclude,
    expand: expandTasks,
    body: PatchTask,
    readOnly: { status: 'POST /v1/tasks/{id}/status', ...fixedInPatch('tasks') },
    status: 200,
    response: Task,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getTask(tx, id),
  },
  ({ tx, params, body }) => patchTask(tx, params.id, body),
);
