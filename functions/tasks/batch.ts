import { runBatch } from '#lib/batch/batch.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { TaskBatch, TaskBatchResults, taskOps } from '#lib/tasks/batch.ts';

/** Up to a hundred creations, changes and status changes in one call. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/tasks/batch',
    summary: 'Create and change tasks in one call',
    description:
      'An item is `{"op": "create", …}`, `{"op": "update", "id", …}` or `{"op": "status", "id", "status"}` with the fields of the single calls. With `atomic` any failure undoes everything.',
    scope: 'tasks:write',
    body: TaskBatch,
    status: 200,
    response: TaskBatchResults,
    errors: ['bad_request'],
    timeoutSeconds: 29,
  },
  (input) => runBatch(input, 'task', taskOps),
);
