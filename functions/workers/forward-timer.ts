import { queues } from '#lib/core/queues.ts';
import { tenantKey } from '#lib/core/tenant.ts';
import { defaultTimeoutSeconds } from '#lib/core/timeouts.ts';
import { queueWorker } from '#lib/queues/queue-worker.ts';
import { receiveGroups } from '#lib/queues/receive.ts';
import { dispatchTimers } from '#lib/queues/send.ts';
import { TimerRow } from '#lib/queues/timer.ts';

/** A schedule fires up to a minute early: what is left of the wait is the queue's own delay. */
export const handler = queueWorker(
  {
    summary: 'Fired schedules go on to the queue of their row',
    trigger: { queue: 'timers', batchSize: 10, maxConcurrency: 20 },
    needs: ['schedule', ...queues.map((queue) => `send:${queue}` as const)],
    timeoutSeconds: defaultTimeoutSeconds,
  },
  (messages) =>
    receiveGroups(
      messages,
      TimerRow.entries,
      () => 'all',
      async (signals) => {
        const rows = signals.map((signal) => ({ ...signal, tenant: tenantKey(signal.tenant) }));
        const failures = await dispatchTimers(rows);
        return failures.map(({ row }) => signals[rows.indexOf(row)] as (typeof signals)[number]);
      },
    ),
);
