import { id } from '#lib/core/schema.ts';
import { workerTimeoutSeconds } from '#lib/core/timeouts.ts';
import { queueWorker } from '#lib/queues/queue-worker.ts';
import { receive } from '#lib/queues/receive.ts';
import { advance } from '#lib/sequences/advance.ts';

/** Enrolled contacts get their next message when it is due. */
export const handler = queueWorker(
  {
    summary: 'Due steps of sequences become message jobs',
    trigger: { queue: 'sequences', batchSize: 10, maxConcurrency: 30 },
    timeoutSeconds: workerTimeoutSeconds,
  },
  (messages) =>
    receive(messages, { sequenceId: id(), enrollmentId: id() }, (tenant, { sequenceId, enrollmentId }) =>
      advance(tenant, sequenceId, enrollmentId),
    ),
);
