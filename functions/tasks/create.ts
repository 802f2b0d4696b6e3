import { expandTasks } from '#lib/deals/include.ts';
import { createTask } from '#lib/deals/task-store.ts';
import { CreateTask, Task, TaskInclude } from '#lib/entities/task.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Adds a task or reminder; a title is enough. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/tasks',
    summary: 'Create a task',
    scope: 'tasks:write',
    query: TaskInclude,
    expand: expandTasks,
    body: CreateTask,
    status: 201,
    response: Task,
    errors: ['bad_request', 'conflict'],
  },
  ({ tx, body }) => createTask(tx, body),
);
