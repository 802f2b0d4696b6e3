import { createTask } from '#lib/deals/task-store.ts';
import { CreateTask, Task } from '#lib/entities/task.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Adds a task or reminder; a title is enough. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/tasks',
    summary: 'Create a task',
    description: 'Without `contactId` the task has the contact of its deal; `null` leaves it without one.',
    scope: 'tasks:write',
    body: CreateTask,
    status: 201,
    response: Task,
    errors: ['bad_request'],
  },
  ({ tx, body }) => createTask(tx, body),
);
