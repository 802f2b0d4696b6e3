import { Sequences } from '#lib/entities/sequence.ts';
import { closeJob, getJob, isWaiting } from '#lib/jobs/store.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { endEnrollment } from './progress.ts';
import { runningEnrollments } from './running.ts';

/** A contact wrote, on whatever channel: its sequences stop, and what they have not yet sent is not sent. */
export async function contactReplied(tx: UnitOfWork, contactId: number): Promise<void> {
  for (const enrollment of await runningEnrollments(tx, contactId)) {
    const { sequenceId, jobId } = enrollment;
    endEnrollment(tx, await tx.get(Sequences, { id: sequenceId }), enrollment, 'replied');
    const job = jobId === null ? undefined : await getJob(tx, jobId);
    if (job && isWaiting(tx, job)) await closeJob(tx, { ...job, status: 'failed', lastError: 'the contact replied' });
  }
}
