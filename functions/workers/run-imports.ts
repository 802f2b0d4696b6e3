import { id } from '#lib/core/schema.ts';
import { importTimeoutSeconds } from '#lib/core/timeouts.ts';
import { workOnImport } from '#lib/imports/work.ts';
import { queueWorker } from '#lib/queues/queue-worker.ts';
import { receive } from '#lib/queues/receive.ts';

/** Takes in the rows of files, and undoes that. */
export const handler = queueWorker(
  {
    summary: 'Rows of imported files become records',
    trigger: { queue: 'imports', batchSize: 1, maxConcurrency: 5 },
    readsUntrusted: true,
    needs: ['read-uploads', 'store-export-files'],
    timeoutSeconds: importTimeoutSeconds,
    // All of one processor, for reading files and for rows side by side.
    memoryMb: 1769,
    // The file, and the rows of it that failed.
    diskMb: 1024,
  },
  (messages) => receive(messages, { importId: id() }, (tenant, { importId }) => workOnImport(tenant, importId)),
);
