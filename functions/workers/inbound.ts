import { lookAfterHook } from '#lib/channels/telegram/hook.ts';
import { id } from '#lib/core/schema.ts';
import { hookTimeoutSeconds } from '#lib/core/timeouts.ts';
import { queueWorker } from '#lib/queues/queue-worker.ts';
import { receive } from '#lib/queues/receive.ts';

/** Sees to it that platforms post what people write to the bots that hear by a webhook. */
export const handler = queueWorker(
  {
    summary: "Bots' webhooks are set, compared once an hour, and removed",
    trigger: { queue: 'inbound', batchSize: 1, maxConcurrency: 5 },
    needs: ['change-hooks', 'decrypt:account'],
    timeoutSeconds: hookTimeoutSeconds,
  },
  (messages) => receive(messages, { accountId: id() }, (tenant, { accountId }) => lookAfterHook(tenant, accountId)),
);
