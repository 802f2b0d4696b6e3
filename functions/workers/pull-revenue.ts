import { id } from '#lib/core/schema.ts';
import { pullTimeoutSeconds } from '#lib/core/timeouts.ts';
import { pullRevenue } from '#lib/finance/pull.ts';
import { queueWorker } from '#lib/queues/queue-worker.ts';
import { receive } from '#lib/queues/receive.ts';

/** Pulls the revenue sources that are due. */
export const handler = queueWorker(
  {
    summary: 'Revenue feeds are pulled and booked',
    trigger: { queue: 'revenue', batchSize: 1, maxConcurrency: 10 },
    readsUntrusted: true,
    needs: ['decrypt:revenue-source'],
    timeoutSeconds: pullTimeoutSeconds,
    // A feed of 10 MB may be millions of empty objects.
    memoryMb: 1024,
  },
  (messages) =>
    receive(messages, { revenueSourceId: id() }, (tenant, { revenueSourceId }) => pullRevenue(tenant, revenueSourceId)),
);
