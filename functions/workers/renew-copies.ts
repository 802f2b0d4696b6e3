import * as v from 'valibot';
import { copiedNouns } from '#lib/core/choices.ts';
import { copyTimeoutSeconds } from '#lib/core/timeouts.ts';
import { queueWorker } from '#lib/queues/queue-worker.ts';
import { receive } from '#lib/queues/receive.ts';
import { renewCopy } from '#lib/search/renew-copy.ts';

/** Renews the copies that searches read. */
export const handler = queueWorker(
  {
    summary: 'Copies of the rows of a noun, which searches read, are renewed',
    trigger: { queue: 'copies', batchSize: 1, maxConcurrency: 2 },
    readsUntrusted: true,
    needs: ['store-copies'],
    timeoutSeconds: copyTimeoutSeconds,
    // A whole processor, and room for a row group of long texts.
    memoryMb: 1792,
    diskMb: 4096,
  },
  (messages) => receive(messages, { noun: v.picklist(copiedNouns) }, (tenant, { noun }) => renewCopy(tenant, noun)),
);
