import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { TaskBatch, TaskBatchResults, taskOps } from '#lib/deals/task-batch.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { runBatch } from '#lib/table/batch.ts';

/** Up to a hundred creations, changes and status changes in one call. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/tasks/batch',
    summary: 'Create and change tasks in one call',
    description:
      'An item is `{"op": "create", …}`, `{"op": "update", "id", …}` or `{"op": "status", "id", "status"}` with the fields of the single calls. With `atomic`, of at most 10 items, any failure undoes everything. Where the answer would be more than 5 MB, results that have no room have the `id` instead of the resource.',
    scope: 'tasks:write',
    body: TaskBatch,
    status: 200,
    response: TaskBatchResults,
    errors: ['bad_request'],
    timeoutSeconds: longTimeoutSeconds,
  },
  (input) => runBatch(input, 'task', taskOps),
);
