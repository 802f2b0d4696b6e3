import { foundOf, searchBody, searchMemoryMb } from '#lib/core/search-body.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { expandTasks } from '#lib/deals/include.ts';
import { Task, TaskInclude, toTaskView } from '#lib/entities/task.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { search } from '#lib/search/search.ts';

/** Tasks by any filter, in any order. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/tasks/search',
    summary: 'Search tasks',
    isQuery: true,
    scope: 'tasks:read',
    expand: expandTasks,
    body: searchBody(TaskInclude.entries, 'SearchTasks'),
    status: 200,
    response: foundOf(Task),
    heavyDependency: 'the client of S3 and the reader of Parquet',
    needs: ['read-copies'],
    errors: ['bad_request'],
    isSlow: true,
    timeoutSeconds: longTimeoutSeconds,
    memoryMb: searchMemoryMb,
  },
  async ({ tx, caller, body }) => {
    const { items, ...page } = await search(tx, caller, 'task', body);
    return { ...page, items: items.map((task) => toTaskView(task, tx.now)) };
  },
);
