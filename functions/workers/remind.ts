import * as v from 'valibot';
import { id } from '#lib/core/schema.ts';
import { system } from '#lib/core/tenant.ts';
import { workerTimeoutSeconds } from '#lib/core/timeouts.ts';
import { remindOfTask } from '#lib/deals/task-store.ts';
import { endMove } from '#lib/messages/store.ts';
import { queueWorker } from '#lib/queues/queue-worker.ts';
import { receive } from '#lib/queues/receive.ts';
import { transact } from '#lib/table/transact.ts';

/** Tasks with a reminder, and places that move, have a timer each, so the cost follows what is due. */
export const handler = queueWorker(
  {
    summary: 'Reminders of tasks, and ends of live locations, become events when they are due',
    trigger: { queue: 'reminders', batchSize: 10, maxConcurrency: 10 },
    timeoutSeconds: workerTimeoutSeconds,
  },
  (messages) =>
    receive(messages, { taskId: v.optional(id()), messageId: v.optional(id()) }, (tenant, { taskId, messageId }) =>
      transact(tenant, system, async (tx) => {
        if (taskId !== undefined) await remindOfTask(tx, taskId);
        if (messageId !== undefined) await endMove(tx, messageId);
      }),
    ),
);
