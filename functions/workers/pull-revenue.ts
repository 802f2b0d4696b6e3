import type { SQSEvent } from 'aws-lambda';
import * as v from 'valibot';
import { pullRevenue, pullTimeoutSeconds } from '#lib/finance/pull.ts';
import { receive } from '#lib/wake-ups/receive.ts';
import { worker } from '#lib/worker.ts';

/** Pulls the revenue sources that are due. */
export const handler = worker(
  {
    summary: 'Revenue feeds are pulled and booked',
    trigger: { queue: 'revenue', batchSize: 1 },
    needs: ['kms'],
    timeoutSeconds: pullTimeoutSeconds,
    memoryMb: 512,
  },
  (event: SQSEvent) =>
    receive(event, { revenueSourceId: v.number() }, (tenant, { revenueSourceId }) =>
      pullRevenue(tenant, revenueSourceId),
    ),
);
