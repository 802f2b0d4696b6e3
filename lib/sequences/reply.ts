import { fail, getJob, isWaiting } from '#lib/jobs/store.ts';
import { listIndexed } from '#lib/table/list.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { Enrollments } from './enrollment.ts';
import { endEnrollment } from './progress.ts';
import { Sequences } from './sequence.ts';

/** A contact wrote, on whatever channel: its sequences stop, and what they have not yet sent is not sent. */
export async function contactReplied(tx: Transaction, contactId: number): Promise<void> {
  const enrollments = await listIndexed(tx, Enrollments, `contact=${contactId}`);
  for (const enrollment of enrollments.filter(({ status }) => status === 'active')) {
    const { sequenceId, jobId } = enrollment;
    endEnrollment(tx, await tx.get(Sequences, { id: sequenceId }), enrollment, 'replied');
    const job = jobId === null ? undefined : await getJob(tx, jobId);
    if (job && isWaiting(tx, job)) await fail(tx, job, 'the contact replied');
  }
}
