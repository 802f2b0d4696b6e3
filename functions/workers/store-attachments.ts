import { id } from '#lib/core/schema.ts';
import { attachmentTimeoutSeconds } from '#lib/core/timeouts.ts';
import { queueWorker } from '#lib/queues/queue-worker.ts';
import { receive } from '#lib/queues/receive.ts';
import { storeAttachments } from '#lib/transport/receiving/attachments.ts';

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
