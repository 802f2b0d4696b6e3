import { listOf } from '#lib/core/schema.ts';
import { expandTasks } from '#lib/deals/include.ts';
import { listTasks } from '#lib/deals/task-list.ts';
import { Task, TaskQuery } from '#lib/entities/task.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Tasks, newest first; every filter may be combined with every other. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/tasks',
    summary: 'List and search tasks',
    scope: 'tasks:read',
    query: TaskQuery,
    expand: expandTasks,
    status: 200,
    response: listOf(Task),
    heavyDependency: 'the client of S3, and the reader of Parquet',
    needs: ['ask-copies', 'read-copies'],
    errors: ['bad_request'],
  },
  ({ tx, query }) => listTasks(tx, query),
);
