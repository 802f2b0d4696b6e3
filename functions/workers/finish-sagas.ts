import * as v from 'valibot';
import { merging } from '#lib/contacts/merge.ts';
import { renaming } from '#lib/contacts/rename.ts';
import { detaching } from '#lib/contacts/tagging.ts';
import { entities } from '#lib/entities/all.ts';
import { erasing } from '#lib/erasure/erase.ts';
import { exporting } from '#lib/export/file.ts';
import { reading } from '#lib/messages/read.ts';
import type { SagaName } from '#lib/sagas.ts';
import { failBlocked } from '#lib/sending/blocked.ts';
import { cancelQueued } from '#lib/sending/cancel.ts';
import { followingMail } from '#lib/sending/following-mail.ts';
import { followingMessage } from '#lib/sending/settle.ts';
import { endingDuplicates } from '#lib/sequences/duplicates.ts';
import { pauseEnrollments, resumeEnrollments } from '#lib/sequences/pause.ts';
import { stopping } from '#lib/sequences/reply.ts';
import { largeCommit } from '#lib/table/large.ts';
import { reindexing } from '#lib/table/reindex.ts';
import { resumeSaga } from '#lib/table/resume.ts';
import type { SagaKind } from '#lib/table/saga.ts';
import { sagaTimeoutSeconds } from '#lib/timeouts.ts';
import { receive } from '#lib/timers/receive.ts';
import { queueWorker } from '#lib/worker/queue.ts';

const kinds: { [Name in SagaName]: SagaKind<Record<string, unknown>, Name> } = {
  block: failBlocked,
  commit: largeCommit,
  detach: detaching,
  'duplicate-enrollments': endingDuplicates,
  erase: erasing,
  export: exporting,
  'job-end': followingMessage.saga,
  'key-cancel': cancelQueued,
  'mail-end': followingMail.saga,
  merge: merging,
  read: reading,
  reindex: reindexing(entities),
  rename: renaming,
  replied: stopping,
  'sequence-pause': pauseEnrollments,
  'sequence-resume': resumeEnrollments,
};

/** What was decided and then interrupted is completed. */
export const handler = queueWorker(
  {
    summary: 'Sagas that their request did not complete are completed',
    trigger: { queue: 'sagas', batchSize: 1, maxConcurrency: 20 },
    timeoutSeconds: sagaTimeoutSeconds,
    memoryMb: 512,
    diskMb: 2048,
    needs: ['change-members', 'read-outbox', 'move-timers', 'store-files', 'list-export-files', 'own-addresses'],
  },
  (messages) =>
    receive(messages, { sagaId: v.optional(v.string()), planId: v.string() }, (tenant, { sagaId, planId }) =>
      resumeSaga(tenant, sagaId ?? planId, Object.values(kinds)),
    ),
);
