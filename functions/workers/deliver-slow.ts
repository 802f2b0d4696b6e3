import type { SQSEvent } from 'aws-lambda';
import { deliverTimeoutSeconds } from '#lib/timeouts.ts';
import { handleSignals } from '#lib/webhooks/signals.ts';
import { worker } from '#lib/worker.ts';

/** The same for endpoints that answer slowly, apart from the others: they would use up what runs at once. */
export const handler = worker(
  {
    summary: 'Due webhook deliveries to slow endpoints are sent',
    trigger: { queue: 'slow-deliveries', batchSize: 10, maxConcurrency: 100 },
    readsStrangers: true,
    needs: ['decrypt:webhook'],
    timeoutSeconds: deliverTimeoutSeconds,
  },
  (event: SQSEvent) => handleSignals(event, 'slow-deliveries'),
);
