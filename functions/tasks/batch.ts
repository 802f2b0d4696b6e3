import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { expandTasks } from '#lib/deals/include.ts';
import { TaskBatch, TaskBatchResults, taskOps } from '#lib/deals/task-batch.ts';
import { TaskInclude } from '#lib/entities/task.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { runBatch } from '#lib/table/batch.ts';

/** Up to a hundred creations, changes and status changes in one call. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/tasks/batch',
    summary: 'Create and change tasks in one call',
    scope: 'tasks:write',
    query: TaskInclude,
    expand: expandTasks,
    body: TaskBatch,
    status: 200,
    response: TaskBatchResults,
    errors: ['bad_request'],
    timeoutSeconds: longTimeoutSeconds,
  },
  (input) => runBatch(input, 'task', taskOps),
);
