import type { SQSEvent } from 'aws-lambda';
import * as v from 'valibot';
import { queues } from '#lib/queues.ts';
import { sendWakeUps } from '#lib/wake-ups/send.ts';
import { WakeUpRow } from '#lib/wake-ups/wake-up.ts';
import { worker } from '#lib/worker.ts';

/** A schedule fires up to a minute early: what is left of the wait is the queue's own delay. */
export const handler = worker(
  {
    summary: 'Fired schedules go on to the queue of their row',
    trigger: { queue: 'wake-ups', batchSize: 10 },
    needs: ['schedule', ...queues.map((queue) => `send:${queue}` as const)],
    timeoutSeconds: 10,
  },
  async (event: SQSEvent) => {
    await sendWakeUps(event.Records.map(({ body }) => v.parse(WakeUpRow, JSON.parse(body))));
    return { batchItemFailures: [] };
  },
);
