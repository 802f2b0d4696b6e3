import { Nothing } from '#lib/core/schema.ts';
import { expandTasks } from '#lib/deals/include.ts';
import { getTask } from '#lib/deals/task-read.ts';
import { restoreTask } from '#lib/deals/task-store.ts';
import { Task, TaskInclude } from '#lib/entities/task.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Brings an archived task back. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/tasks/{id}/restore',
    summary: 'Restore a task',
    hasNoTool: true,
    scope: 'tasks:write',
    query: TaskInclude,
    expand: expandTasks,
    body: Nothing,
    status: 200,
    response: Task,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getTask(tx, id),
  },
  ({ tx, params }) => restoreTask(tx, params.id),
);
