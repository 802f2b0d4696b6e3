import { incomingMailTimeoutSeconds } from '#lib/core/timeouts.ts';
import { Judged } from '#lib/email/arrival.ts';
import { queueWorker } from '#lib/queues/queue-worker.ts';
import { receive } from '#lib/queues/receive.ts';
import { deliverIncoming } from '#lib/transport/receiving/incoming.ts';

/** A mail for a workspace is read and stored there. */
export const handler = queueWorker(
  {
    summary: 'Incoming mail is stored in its thread',
    // One at a time, and few side by side: a mail may have 40 MB, and strangers choose when they come.
    trigger: { queue: 'workspace-mail', batchSize: 1, maxConcurrency: 5 },
    readsUntrusted: true,
    needs: ['mail-bucket', 'own-addresses'],
    timeoutSeconds: incomingMailTimeoutSeconds,
    memoryMb: 1024,
  },
  (messages) => receive(messages, { notice: Judged }, (tenant, { notice }) => deliverIncoming(tenant, notice)),
);
