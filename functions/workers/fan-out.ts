import * as v from 'valibot';
import { fanOutTimeoutSeconds } from '#lib/core/timeouts.ts';
import { fanOutBacklog, retryFanOut } from '#lib/publishing/fan-out-backlog.ts';
import { queueWorker } from '#lib/queues/queue-worker.ts';
import { receive } from '#lib/queues/receive.ts';

/** Makes the deliveries that would have held up the publisher, tenant by tenant. */
export const handler = queueWorker(
  {
    summary: 'Deliveries beyond what the publisher makes at once are made',
    trigger: { queue: 'fan-outs', batchSize: 1, maxConcurrency: 20 },
    needs: ['move-timers'],
    timeoutSeconds: fanOutTimeoutSeconds,
    memoryMb: 512,
  },
  (messages) =>
    receive(messages, { sequence: v.optional(v.number()) }, (tenant, { sequence }) =>
      sequence === undefined ? fanOutBacklog(tenant) : retryFanOut(tenant, sequence),
    ),
);
