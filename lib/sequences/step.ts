import { system, type Tenant } from '#lib/core/tenant.ts';
import { Enrollments, type StoredEnrollment } from '#lib/entities/enrollment.ts';
import type { StoredJob } from '#lib/entities/job.ts';
import { Sequences } from '#lib/entities/sequence.ts';
import { notLookedUp } from '#lib/messages/jobs/outcomes.ts';
import type { Outcome } from '#lib/messages/jobs/sender.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { hasOneAhead } from './duplicates.ts';
import { contactHasReplied } from './end-early.ts';

/**
 * Returns the outcome of a step's message that may not be sent now, or undefined if it may. It is held while its sequence is paused, and
 * canceled if its enrollment has ended, as by a reply or a merge.
 */
export async function outcomeIfOutOfSequence(tenant: Tenant, job: StoredJob): Promise<Outcome | undefined> {
  const { sequenceId, enrollmentId } = job;
  if (sequenceId === null || enrollmentId === null) return undefined;
  const tx = new UnitOfWork(tenant, system);
  try {
    const [sequence, enrollment] = await placeOf(tx, sequenceId, enrollmentId);
    if (enrollment?.status === 'replied') return { kind: 'canceled', reason: contactHasReplied };
    if (!enrollment || !waitsFor(enrollment, job)) return { kind: 'canceled' };
    if (sequence?.status === 'paused') return { kind: 'held' };
    return (await hasOneAhead(tx, enrollment, job)) ? { kind: 'canceled' } : undefined;
  } catch (error) {
    return notLookedUp(error as Error);
  }
}

/**
 * A job that its sender holds because its sequence is paused, with its enrollment: whoever pauses may not have come to it, or not again since it was
 * in a sender's hands. It goes on at once where the sequence does, by a timer of its own: the one that it had has rung.
 */
export async function heldWithSequence(tx: UnitOfWork, job: StoredJob): Promise<StoredJob> {
  const [sequence, enrollment] = await placeOf(tx, Number(job.sequenceId), Number(job.enrollmentId));
  if (sequence?.status !== 'paused' || !enrollment || !waitsFor(enrollment, job))
    return { ...job, isHeld: false, runAt: tx.now };
  tx.requireUnchanged(Sequences, sequence);
  if (enrollment.heldAt === null) tx.update(Enrollments, { ...enrollment, heldAt: tx.now });
  return job;
}

const placeOf = (tx: UnitOfWork, sequenceId: number, id: number) =>
  Promise.all([tx.find(Sequences, { id: sequenceId }), tx.find(Enrollments, { sequenceId, id })]);

const waitsFor = ({ status, jobId }: StoredEnrollment, { id }: StoredJob) => status === 'active' && jobId === id;
