import { noticesOf, SesEvent } from '#lib/email/notice.ts';
import { receiveNotices } from '#lib/sending/notice.ts';
import { workerTimeoutSeconds } from '#lib/timeouts.ts';
import { receiveEach } from '#lib/timers/receive.ts';
import { queueWorker } from '#lib/worker/queue.ts';

/** What SES reports of a mail that has left: a bounce or a complaint. */
export const handler = queueWorker(
  {
    summary: 'Bounces and complaints are stored with the mail that they are about',
    trigger: { queue: 'mail-notices', batchSize: 10, maxConcurrency: 5 },
    readsUntrusted: true,
    timeoutSeconds: workerTimeoutSeconds,
  },
  (messages) => receiveEach(messages, SesEvent, (event) => receiveNotices(noticesOf(event))),
);
