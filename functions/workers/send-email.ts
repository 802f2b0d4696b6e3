import type { SQSEvent } from 'aws-lambda';
import * as v from 'valibot';
import { deliverEmail } from '#lib/email/deliver.ts';
import { handleEach } from '#lib/sqs.ts';
import { parseTenantKey } from '#lib/tenant.ts';
import { worker } from '#lib/worker.ts';

const Message = v.object({ tenant: v.string(), jobId: v.number() });

/** Sends the queued replies that are due through SES. */
export const handler = worker(
  {
    summary: 'Queued e-mail replies are sent',
    trigger: { queue: 'email', batchSize: 10 },
    needs: ['ses'],
    timeoutSeconds: 30,
  },
  (event: SQSEvent) => handleEach(event, Message, ({ tenant, jobId }) => deliverEmail(parseTenantKey(tenant), jobId)),
);
