import { storeAttachments } from '#lib/receiving/attachments.ts';
import { id } from '#lib/schema.ts';
import { attachmentTimeoutSeconds } from '#lib/timeouts.ts';
import { receive } from '#lib/timers/receive.ts';
import { queueWorker } from '#lib/worker/queue.ts';

/** Fetches the files of messages that are stored already, and keeps those that callers have uploaded. */
export const handler = queueWorker(
  {
    summary: "Messages' attachments are brought into the bucket",
    // One at a time: a file lies on the function's disk until it is in the bucket.
    trigger: { queue: 'attachments', batchSize: 1, maxConcurrency: 10 },
    readsUntrusted: true,
    needs: ['decrypt:account', 'mail-bucket', 'store-files', 'telegram-app'],
    timeoutSeconds: attachmentTimeoutSeconds,
    diskMb: 1024,
  },
  (messages) => receive(messages, { messageId: id() }, (tenant, { messageId }) => storeAttachments(tenant, messageId)),
);
