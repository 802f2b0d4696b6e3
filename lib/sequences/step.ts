import { Enrollments, type StoredEnrollment } from '#lib/entities/enrollment.ts';
import type { StoredJob } from '#lib/entities/job.ts';
import { Sequences } from '#lib/entities/sequence.ts';
import { notLookedUp } from '#lib/jobs/outcomes.ts';
import type { Outcome } from '#lib/jobs/sender.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { system, type Tenant } from '#lib/tenant.ts';
import { hasOneAhead } from './duplicates.ts';

/**
 * What becomes of the message of a step without an attempt: it is held while its sequence is
 * paused, and canceled where its contact was merged with one who is in the sequence, too. Undefined when it may leave, and of one that its enrollment
 * does not wait for, which somebody has tried again.
 */
export async function outcomeIfOutOfSequence(tenant: Tenant, job: StoredJob): Promise<Outcome | undefined> {
  if (job.sequenceId === null) return undefined;
  const tx = new UnitOfWork(tenant, system);
  try {
    const [sequence, enrollment] = await Promise.all([
      tx.find(Sequences, { id: job.sequenceId }),
      enrollmentOf(tx, job),
    ]);
    if (enrollment === undefined) return undefined;
    if (sequence?.status === 'paused') return { kind: 'held' };
    return (await hasOneAhead(tx, enrollment)) ? { kind: 'canceled' } : undefined;
  } catch (error) {
    return notLookedUp(error as Error);
  }
}

/**
 * A job that its sender holds because its sequence is paused, with its enrollment: whoever pauses may not have come to it, or not again since it was
 * in a sender's hands. It goes on at once where the sequence does, by a timer of its own: the one that it had has rung.
 */
export async function heldWithSequence(tx: UnitOfWork, job: StoredJob): Promise<StoredJob> {
  const [sequence, enrollment] = await Promise.all([
    tx.find(Sequences, { id: Number(job.sequenceId) }),
    enrollmentOf(tx, job),
  ]);
  if (sequence?.status !== 'paused' || enrollment === undefined) return { ...job, isHeld: false, runAt: tx.now };
  tx.requireUnchanged(Sequences, sequence);
  if (enrollment.heldAt === null) tx.update(Enrollments, { ...enrollment, heldAt: tx.now });
  return job;
}

/** The enrollment that waits for a job. */
async function enrollmentOf(
  tx: UnitOfWork,
  { id, sequenceId, enrollmentId }: StoredJob,
): Promise<StoredEnrollment | undefined> {
  if (sequenceId === null || enrollmentId === null) return undefined;
  const enrollment = await tx.find(Enrollments, { sequenceId, id: enrollmentId });
  return enrollment?.status === 'active' && enrollment.jobId === id ? enrollment : undefined;
}
