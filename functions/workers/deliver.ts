import { deliverTimeoutSeconds } from '#lib/core/timeouts.ts';
import { queueWorker } from '#lib/queues/queue-worker.ts';
import { handleSignals } from '#lib/webhooks/signals.ts';

/** Sends due webhook deliveries, one process per endpoint. */
export const handler = queueWorker(
  {
    summary: 'Due webhook deliveries are sent',
    trigger: { queue: 'deliveries', batchSize: 10, maxConcurrency: 150 },
    readsUntrusted: true,
    needs: ['decrypt:webhook'],
    timeoutSeconds: deliverTimeoutSeconds,
  },
  (messages) => handleSignals(messages, 'deliveries'),
);
