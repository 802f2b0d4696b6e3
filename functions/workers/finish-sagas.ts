import * as v from 'valibot';
import { sagaKinds } from '#functions/saga-kinds.ts';
import { sagaTimeoutSeconds } from '#lib/core/timeouts.ts';
import { queueWorker } from '#lib/queues/queue-worker.ts';
import { receive } from '#lib/queues/receive.ts';
import { resumeSaga } from '#lib/table/resume.ts';

/** Completes sagas that were interrupted. */
export const handler = queueWorker(
  {
    summary: 'Sagas that their request did not complete are completed',
    trigger: { queue: 'sagas', batchSize: 1, maxConcurrency: 20 },
    timeoutSeconds: sagaTimeoutSeconds,
    memoryMb: 512,
    diskMb: 2048,
    needs: [
      'change-members',
      'read-outbox',
      'move-timers',
      'store-files',
      'list-export-files',
      'own-addresses',
      'read-copies',
    ],
  },
  (messages) =>
    receive(messages, { sagaId: v.string() }, (tenant, { sagaId }) => resumeSaga(tenant, sagaId, sagaKinds)),
);
