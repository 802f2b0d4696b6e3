import * as v from 'valibot';
import { fanOutTimeoutSeconds } from '#lib/core/timeouts.ts';
import { putAgain, putLeft } from '#lib/publishing/bus.ts';
import { queueWorker } from '#lib/queues/queue-worker.ts';
import { receive } from '#lib/queues/receive.ts';

/** Puts events on the operator's event bus that it did not take when they were published. */
export const handler = queueWorker(
  {
    summary: 'Events that the event bus did not take at once are put there',
    trigger: { queue: 'bus', batchSize: 1, maxConcurrency: 5 },
    needs: ['move-timers', 'event-bus'],
    timeoutSeconds: fanOutTimeoutSeconds,
    memoryMb: 256,
  },
  (messages) =>
    receive(messages, { sequence: v.optional(v.number()) }, (tenant, { sequence }) =>
      sequence === undefined ? putLeft(tenant) : putAgain(tenant, sequence),
    ),
);
