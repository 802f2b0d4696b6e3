import type { SQSEvent } from 'aws-lambda';
import { maxSenders } from '#lib/email/pace.ts';
import { id } from '#lib/schema.ts';
import { deliverEmail } from '#lib/sending/mail.ts';
import { mailTimeoutSeconds } from '#lib/timeouts.ts';
import { receive } from '#lib/timers/receive.ts';
import { worker } from '#lib/worker.ts';

/** Sends the queued e-mails that are due through SES. */
export const handler = worker(
  {
    summary: 'Queued e-mails are sent',
    trigger: { queue: 'email', batchSize: 5, maxConcurrency: maxSenders },
    needs: ['ses'],
    timeoutSeconds: mailTimeoutSeconds,
  },
  (event: SQSEvent) => receive(event, { jobId: id() }, (tenant, { jobId }) => deliverEmail(tenant, jobId)),
);
