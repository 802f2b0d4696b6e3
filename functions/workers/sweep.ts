import { MetricUnit, measure } from '#lib/metrics.ts';
import { queues } from '#lib/queues.ts';
import { sweep } from '#lib/wake-ups/sweep.ts';
import { worker } from '#lib/worker.ts';

/** Once a minute: whatever a crash interrupted goes on. */
export const handler = worker(
  {
    summary: 'Overdue rows are told again and unpublished events are published',
    trigger: { rate: 'rate(1 minute)' },
    needs: ['schedule', ...queues.map((queue) => `send:${queue}` as const)],
    timeoutSeconds: 55,
    memoryMb: 512,
  },
  async () => {
    const { overdueRows, unpublishedRows } = await sweep();
    measure(
      { worker: 'sweep' },
      {
        overdueRows: { unit: MetricUnit.Count, value: overdueRows },
        unpublishedRows: { unit: MetricUnit.Count, value: unpublishedRows },
      },
    );
  },
);
