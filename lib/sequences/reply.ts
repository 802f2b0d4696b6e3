import { Enrollments } from '#lib/entities/enrollment.ts';
import { Sequences } from '#lib/entities/sequence.ts';
import { closeJob, getJob, isWaiting } from '#lib/jobs/store.ts';
import { listIndexed } from '#lib/table/entries.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { endEnrollment } from './progress.ts';

/** A contact wrote, on whatever channel: its sequences stop, and what they have not yet sent is not sent. */
export async function contactReplied(tx: UnitOfWork, contactId: number): Promise<void> {
  const enrollments = await listIndexed(tx, Enrollments, { contact: contactId });
  for (const enrollment of enrollments.filter(({ status }) => status === 'active')) {
    const { sequenceId, jobId } = enrollment;
    endEnrollment(tx, await tx.get(Sequences, { id: sequenceId }), enrollment, 'replied');
    const job = jobId === null ? undefined : await getJob(tx, jobId);
    if (job && isWaiting(tx, job)) await closeJob(tx, { ...job, status: 'failed', lastError: 'the contact replied' });
  }
}
