import type { StoredEnrollment } from '#lib/entities/enrollment.ts';
import { Sequences } from '#lib/entities/sequence.ts';
import { closeJob, getJob, isWaiting } from '#lib/messages/jobs/store.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { endEnrollment } from './progress.ts';

/** Why a message is not sent. */
export const contactHasReplied = 'the contact replied';

/**
 * Ends an enrollment before its last step: the message that it waits for is not sent, for the reason. One that a sender has in hand may leave, and is not
 * tried again (`outcomeIfOutOfSequence`).
 */
export async function endEarly(
  tx: UnitOfWork,
  enrollment: StoredEnrollment,
  status: 'replied' | 'stopped',
  reason: string,
): Promise<void> {
  const { sequenceId, jobId } = enrollment;
  endEnrollment(tx, await tx.get(Sequences, { id: sequenceId }), enrollment, status);
  const job = jobId === null ? undefined : await getJob(tx, jobId);
  if (job && isWaiting(tx, job)) await closeJob(tx, { ...job, status: 'failed', lastError: reason });
}
