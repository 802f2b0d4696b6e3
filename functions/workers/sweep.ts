import { entities } from '#lib/entities/all.ts';
import { measure } from '#lib/metrics.ts';
import { queues } from '#lib/queues.ts';
import { sweep, sweepDimensions } from '#lib/sweep/sweep.ts';
import { followRelease } from '#lib/table/release.ts';
import { sweepTimeoutSeconds } from '#lib/timeouts.ts';
import { worker } from '#lib/worker.ts';

/** Once a minute: whatever a crash interrupted goes on, and what a new release needs begins. */
export const handler = worker(
  {
    summary:
      'The messages of overdue rows are sent again, unpublished events are published, and what a new release stores otherwise is reindexed',
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
    const released = followRelease(entities).then(
      () => [],
      (error: unknown) => [error],
    );
    const { failures: unswept, ...found } = await sweep();
    const failures = [...unswept, ...(await released)];
    measure(sweepDimensions, found);
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} parts of the sweep failed`);
  },
);
