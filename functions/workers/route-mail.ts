import { workerTimeoutSeconds } from '#lib/core/timeouts.ts';
import { Notice } from '#lib/email/arrival.ts';
import { queueWorker } from '#lib/queues/queue-worker.ts';
import { receiveEach } from '#lib/queues/receive.ts';
import { routeMail } from '#lib/transport/receiving/route.ts';

/** Every mail that SES stores gets in line for each workspace that its envelope names: who that is SES does not know. */
export const handler = queueWorker(
  {
    summary: 'Incoming mail gets in line, workspace by workspace',
    // It reads an envelope and no mail, so that a flood of one workspace is soon in that one's line.
    trigger: { queue: 'incoming-mail', batchSize: 10, maxConcurrency: 5 },
    readsUntrusted: true,
    needs: ['mail-domain', 'send:workspace-mail'],
    timeoutSeconds: workerTimeoutSeconds,
  },
  (messages) =>
    receiveEach(messages, Notice, async (notice) => {
      if ('receipt' in notice) await routeMail(notice);
    }),
);
