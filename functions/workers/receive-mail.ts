import type { SQSEvent } from 'aws-lambda';
import { Notice } from '#lib/email/arrival.ts';
import { deliverIncoming } from '#lib/receiving/incoming.ts';
import { receiveEach } from '#lib/wake-ups/receive.ts';
import { worker } from '#lib/worker.ts';

/** Every mail that SES stores reaches the workspaces that its envelope names. */
export const handler = worker(
  {
    summary: 'Incoming mail is stored in its thread',
    // One at a time, and few side by side: a mail may have 40 MB, and strangers choose when they come.
    trigger: { queue: 'incoming-mail', batchSize: 1, maxConcurrency: 5 },
    readsStrangers: true,
    needs: ['mail-bucket'],
    timeoutSeconds: 60,
    memoryMb: 1024,
  },
  (event: SQSEvent) =>
    receiveEach(event, Notice, async (notice) => {
      if ('receipt' in notice) await deliverIncoming(notice.receipt.action.objectKey, notice);
    }),
);
