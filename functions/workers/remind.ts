import * as v from 'valibot';
import { id } from '#lib/core/schema.ts';
import { system } from '#lib/core/tenant.ts';
import { mailTimeoutSeconds } from '#lib/core/timeouts.ts';
import { remindOfTask } from '#lib/deals/task-store.ts';
import { sendDigest } from '#lib/email/digest.ts';
import { wakeConversation } from '#lib/messages/conversation-change.ts';
import { endMove } from '#lib/messages/store.ts';
import { queueWorker } from '#lib/queues/queue-worker.ts';
import { receive } from '#lib/queues/receive.ts';
import { transact } from '#lib/table/transact.ts';

const maybe = v.optional(id());

/** Tasks with a reminder, places that move, snoozed conversations, and members with a digest have a timer each, so the cost follows what is due. */
export const handler = queueWorker(
  {
    summary:
      'Reminders of tasks, ends of live locations, and ends of snoozes become events when they are due, and members are mailed what waits',
    trigger: { queue: 'reminders', batchSize: 10, maxConcurrency: 10 },
    readsUntrusted: true,
    needs: ['ses'],
    timeoutSeconds: mailTimeoutSeconds,
  },
  (messages) =>
    receive(
      messages,
      { taskId: maybe, messageId: maybe, contactId: maybe, threadId: maybe, memberId: maybe },
      async (tenant, { taskId, messageId, memberId, ...place }) => {
        if (memberId !== undefined) return sendDigest(tenant, memberId);
        await transact(tenant, system, async (tx) => {
          if (taskId !== undefined) await remindOfTask(tx, taskId);
          if (messageId !== undefined) await endMove(tx, messageId);
          await wakeConversation(tx, place);
        });
      },
    ),
);
