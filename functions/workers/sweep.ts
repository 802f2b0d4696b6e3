import { measure } from '#lib/core/metrics.ts';
import { queues } from '#lib/core/queues.ts';
import { sweepTimeoutSeconds } from '#lib/core/timeouts.ts';
import { sweep } from '#lib/publishing/sweep.ts';
import { worker } from '#lib/queues/worker.ts';
import { sweepDimensions } from '#lib/table/dead-letter.ts';

/** Once a minute: whatever a crash interrupted goes on. */
export const handler = worker(
  {
    summary: 'The messages of overdue rows are sent again, and unpublished events are published',
    trigger: { rate: 'rate(1 minute)' },
    needs: [
      'move-outbox',
      'move-timers',
      'sweep',
      'schedule',
      'event-bus',
      ...queues.map((queue) => `send:${queue}` as const),
    ],
    timeoutSeconds: sweepTimeoutSeconds,
    memoryMb: 512,
  },
  async () => {
    const { failures, ...found } = await sweep();
    measure(sweepDimensions, found);
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} parts of the sweep failed`);
  },
);
