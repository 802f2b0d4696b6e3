import { id } from '#lib/core/schema.ts';
import { mailTimeoutSeconds } from '#lib/core/timeouts.ts';
import { maxSenders } from '#lib/email/pace.ts';
import { queueWorker } from '#lib/queues/queue-worker.ts';
import { receive } from '#lib/queues/receive.ts';
import { deliverEmail } from '#lib/transport/sending/mail.ts';

/** Sends the queued e-mails that are due through SES. */
export const handler = queueWorker(
  {
    summary: 'Queued e-mails are sent',
    trigger: { queue: 'email', batchSize: 5, maxConcurrency: maxSenders },
    needs: ['ses', 'read-files'],
    timeoutSeconds: mailTimeoutSeconds,
    memoryMb: 1024,
  },
  (messages) => receive(messages, { jobId: id() }, (tenant, { jobId }) => deliverEmail(tenant, jobId)),
);
