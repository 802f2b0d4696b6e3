import { id } from '#lib/core/schema.ts';
import { exportTimeoutSeconds } from '#lib/core/timeouts.ts';
import { runDataExport } from '#lib/exports/run.ts';
import { queueWorker } from '#lib/queues/queue-worker.ts';
import { receive } from '#lib/queues/receive.ts';

/** Writes the files of exports, one of an environment at a time. */
export const handler = queueWorker(
  {
    summary: 'Exports of records are written to files',
    trigger: { queue: 'exports', batchSize: 1, maxConcurrency: 3 },
    readsUntrusted: true,
    needs: ['read-outbox', 'store-export-files', 'own-addresses'],
    timeoutSeconds: exportTimeoutSeconds,
    memoryMb: 2048,
    diskMb: 4096,
  },
  (messages) => receive(messages, { exportId: id() }, (tenant, { exportId }) => runDataExport(tenant, exportId)),
);
