import type { SQSEvent } from 'aws-lambda';
import * as v from 'valibot';
import { deliverEmail } from '#lib/email/deliver.ts';
import { receive } from '#lib/wake-ups/receive.ts';
import { worker } from '#lib/worker.ts';

/** Sends the queued e-mails that are due through SES. */
export const handler = worker(
  {
    summary: 'Queued e-mails are sent',
    trigger: { queue: 'email', batchSize: 10 },
    needs: ['ses'],
    timeoutSeconds: 30,
  },
  (event: SQSEvent) => receive(event, { jobId: v.number() }, (tenant, { jobId }) => deliverEmail(tenant, jobId)),
);
