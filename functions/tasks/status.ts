import { expandTasks } from '#lib/deals/include.ts';
import { getTask } from '#lib/deals/task-read.ts';
import { setTaskStatus } from '#lib/deals/task-store.ts';
import { SetTaskStatus, Task, TaskInclude } from '#lib/entities/task.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Sets the status of a task; done stamps the completion time. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/tasks/{id}/status',
    summary: 'Set the status of a task',
    scope: 'tasks:write',
    query: TaskInclude,
    expand: expandTasks,
    body: SetTaskStatus,
    status: 200,
    response: Task,
    errors: ['bad_request', 'not_found'],
    current: (tx, { id }) => getTask(tx, id),
  },
  ({ tx, params, body }) => setTaskStatus(tx, params.id, body.status),
);
