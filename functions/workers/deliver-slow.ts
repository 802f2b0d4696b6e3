import { deliverTimeoutSeconds } from '#lib/core/timeouts.ts';
import { queueWorker } from '#lib/queues/queue-worker.ts';
import { handleSignals } from '#lib/webhooks/signals.ts';

/** The same for endpoints that answer slowly, apart from the others: they would use up what runs at once. */
export const handler = queueWorker(
  {
    summary: 'Due webhook deliveries to slow endpoints are sent',
    trigger: { queue: 'slow-deliveries', batchSize: 10, maxConcurrency: 90 },
    readsUntrusted: true,
    needs: ['decrypt:webhook'],
    timeoutSeconds: deliverTimeoutSeconds,
  },
  (messages) => handleSignals(messages, 'slow-deliveries'),
);
