import { createTask } from '#lib/deals/task-store.ts';
import { CreateTask, Task } from '#lib/entities/task.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Adds a task or reminder; a title is enough. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/tasks',
    summary: 'Create a task',
    scope: 'tasks:write',
    body: CreateTask,
    status: 201,
    response: Task,
    errors: ['bad_request'],
  },
  ({ tx, body }) => createTask(tx, body),
);
