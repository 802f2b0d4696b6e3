import { id } from '#lib/core/schema.ts';
import { system } from '#lib/core/tenant.ts';
import { workerTimeoutSeconds } from '#lib/core/timeouts.ts';
import { remindOfTask } from '#lib/deals/task-store.ts';
import { queueWorker } from '#lib/queues/queue-worker.ts';
import { receive } from '#lib/queues/receive.ts';
import { transact } from '#lib/table/transact.ts';

/** Each open task with a reminder has a timer, so the cost follows the reminders that are due. */
export const handler = queueWorker(
  {
    summary: 'Reminders of tasks become events when they are due',
    trigger: { queue: 'reminders', batchSize: 10, maxConcurrency: 10 },
    timeoutSeconds: workerTimeoutSeconds,
  },
  (messages) =>
    receive(messages, { taskId: id() }, (tenant, { taskId }) =>
      transact(tenant, system, (tx) => remindOfTask(tx, taskId)),
    ),
);
