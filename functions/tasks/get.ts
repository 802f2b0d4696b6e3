import { expandTasks } from '#lib/deals/include.ts';
import { getTask } from '#lib/deals/task-read.ts';
import { Task, TaskInclude } from '#lib/entities/task.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** One task. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/tasks/{id}',
    summary: 'Get a task',
    scope: 'tasks:read',
    query: TaskInclude,
    expand: expandTasks,
    status: 200,
    response: Task,
    errors: ['not_found'],
  },
  ({ tx, params }) => getTask(tx, params.id),
);
