import { queues } from '#lib/core/queues.ts';
import { streamTimeoutSeconds } from '#lib/core/timeouts.ts';
import { dispatch } from '#lib/queues/dispatch.ts';
import { insertedUnder, streamWorker } from '#lib/queues/stream-worker.ts';
import { duePrefix } from '#lib/table/entity.ts';

/** Every row that waits for a time has its message sent then. */
export const handler = streamWorker(
  {
    summary: 'Waiting rows are put on their queue, or on a schedule when their time is far',
    trigger: { stream: 'table', batchSize: 100, filters: [insertedUnder(duePrefix)] },
    needs: ['move-timers', 'schedule', ...queues.map((queue) => `send:${queue}` as const)],
    timeoutSeconds: streamTimeoutSeconds,
    memoryMb: 512,
  },
  dispatch,
);
