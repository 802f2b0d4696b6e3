import { workerTimeoutSeconds } from '#lib/core/timeouts.ts';
import { noticesOf, SesEvent } from '#lib/email/notice.ts';
import { queueWorker } from '#lib/queues/queue-worker.ts';
import { receiveEach } from '#lib/queues/receive.ts';
import { receiveNotices } from '#lib/transport/sending/notice.ts';

/** Stores the bounces and complaints that SES reports for sent mail. */
export const handler = queueWorker(
  {
    summary: 'Bounces and complaints are stored with the mail that they are about',
    trigger: { queue: 'mail-notices', batchSize: 10, maxConcurrency: 5 },
    readsUntrusted: true,
    timeoutSeconds: workerTimeoutSeconds,
  },
  (messages) => receiveEach(messages, SesEvent, (event) => receiveNotices(noticesOf(event))),
);
