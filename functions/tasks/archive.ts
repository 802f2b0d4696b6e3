import { Nothing } from '#lib/core/schema.ts';
import { expandTasks } from '#lib/deals/include.ts';
import { getTask } from '#lib/deals/task-read.ts';
import { archiveTask } from '#lib/deals/task-store.ts';
import { Task, TaskInclude } from '#lib/entities/task.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Takes a task out of lists and counts; it is kept, and comes back with a restore. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/tasks/{id}/archive',
    summary: 'Archive a task',
    hasNoTool: true,
    scope: 'tasks:write',
    query: TaskInclude,
    expand: expandTasks,
    body: Nothing,
    status: 200,
    response: Task,
    errors: ['bad_request', 'not_found'],
    current: (tx, { id }) => getTask(tx, id),
  },
  ({ tx, params }) => archiveTask(tx, params.id),
);
