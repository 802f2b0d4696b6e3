import type { SQSEvent } from 'aws-lambda';
import { deliverTimeoutSeconds } from '#lib/timeouts.ts';
import { handleSignals } from '#lib/webhooks/signals.ts';
import { worker } from '#lib/worker.ts';

/** Sends due webhook deliveries, one process per endpoint. */
export const handler = worker(
  {
    summary: 'Due webhook deliveries are sent',
    trigger: { queue: 'deliveries', batchSize: 10, maxConcurrency: 150 },
    readsStrangers: true,
    needs: ['decrypt:webhook'],
    timeoutSeconds: deliverTimeoutSeconds,
  },
  (event: SQSEvent) => handleSignals(event, 'deliveries'),
);
