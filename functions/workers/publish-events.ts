import { streamTimeoutSeconds } from '#lib/core/timeouts.ts';
import { publish } from '#lib/publishing/publish.ts';
import { insertedUnder, streamWorker } from '#lib/queues/stream-worker.ts';
import { outboxPrefix } from '#lib/table/outbox.ts';

/** Numbers the events of committed changes, writes the feed and makes the deliveries. */
export const handler = streamWorker(
  {
    summary: 'Outbox rows become the event feed, the audit trail and deliveries',
    trigger: { stream: 'table', batchSize: 100, filters: [insertedUnder(outboxPrefix)] },
    needs: ['move-outbox', 'event-bus'],
    timeoutSeconds: streamTimeoutSeconds,
    memoryMb: 512,
  },
  publish,
);
