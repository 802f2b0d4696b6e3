import * as v from 'valibot';
import { restTimeoutSeconds } from '#lib/timeouts.ts';
import { receive } from '#lib/timers/receive.ts';
import { fanOutAgain, fanOutRest } from '#lib/webhooks/fan-out-rest.ts';
import { queueWorker } from '#lib/worker/queue.ts';

/** Makes the deliveries that would have held up the publisher, tenant by tenant. */
export const handler = queueWorker(
  {
    summary: 'Deliveries beyond what the publisher makes at once are made',
    trigger: { queue: 'fan-outs', batchSize: 1, maxConcurrency: 20 },
    timeoutSeconds: restTimeoutSeconds,
    memoryMb: 512,
  },
  (messages) =>
    receive(messages, { sequence: v.optional(v.number()) }, (tenant, { sequence }) =>
      sequence === undefined ? fanOutRest(tenant) : fanOutAgain(tenant, sequence),
    ),
);
