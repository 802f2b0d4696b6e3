import { minuteMs, shifted } from '#lib/core/clock.ts';
import { conflict } from '#lib/core/problem.ts';
import type { SagaName } from '#lib/core/sagas.ts';
import { requireSender } from '#lib/email/sender.ts';
import { Enrollments, type StoredEnrollment } from '#lib/entities/enrollment.ts';
import { Sequences, type Step, type StoredSequence } from '#lib/entities/sequence.ts';
import { getJob, pauseJob, resumeJob } from '#lib/messages/jobs/store.ts';
import { stepThrough } from '#lib/table/list.ts';
import type { SagaKind } from '#lib/table/saga.ts';
import { startSaga } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { changeStatus } from './progress.ts';
import { getSequence, requireDraft } from './store.ts';

/** Pauses every enrollment and unsent message of an active sequence. Emits sequence.status_changed. Raises 404, 409. */
export async function pauseSequence(tx: UnitOfWork, id: number): Promise<StoredSequence> {
  const sequence = await getSequence(tx, id);
  if (sequence.status !== 'active')
    throw conflict(
      'sequence_not_active',
      `the sequence is ${sequence.status}, and only an active one can be paused: check its status`,
    );
  startSaga(tx, pauseEnrollments, { sequenceId: id, at: tx.now, after: null });
  return changeStatus(tx, sequence, 'paused');
}

/**
 * Lets a paused sequence go on: what waits is due later by the time of the pause. Emits sequence.status_changed. Raises 404,
 * 409 also where it sends e-mail and none can leave. Needs `mail-sender`.
 */
export async function resumeSequence(tx: UnitOfWork, id: number): Promise<StoredSequence> {
  const sequence = await getSequence(tx, id);
  if (sequence.status !== 'paused')
    throw conflict(
      'sequence_not_paused',
      `the sequence is ${sequence.status}, and only a paused one can be resumed: check its status`,
    );
  if (sequence.channel === 'email') requireSender();
  startSaga(tx, resumeEnrollments, { sequenceId: id, at: tx.now, after: null });
  return changeStatus(tx, sequence, 'active');
}

/**
 * Starts a draft: whoever was enrolled in it begins with its first step now. Emits sequence.status_changed. Raises 404, 409 also where it
 * sends e-mail and none can leave. Needs `mail-sender`.
 */
export async function activateSequence(tx: UnitOfWork, id: number): Promise<StoredSequence> {
  const sequence = await getSequence(tx, id);
  requireDraft(sequence);
  if (sequence.channel === 'email') requireSender();
  startSaga(tx, resumeEnrollments, { sequenceId: id, at: tx.now, after: null });
  return changeStatus(tx, sequence, 'active');
}

type State = { sequenceId: number; at: string; after: number | null };

/** Goes through the active enrollments, newest first, while the sequence stays in the status that the change is for. */
const sagaOf = <Name extends SagaName>(
  name: Name,
  status: StoredSequence['status'],
  change: (tx: UnitOfWork, enrollment: StoredEnrollment, at: string) => Promise<void>,
): SagaKind<State, Name> => ({
  name,
  async step(tx, state) {
    const sequence = await tx.get(Sequences, { id: state.sequenceId });
    if (sequence.status !== status) return undefined;
    tx.requireUnchanged(Sequences, sequence);
    const where = { status: { sequenceId: state.sequenceId, status: 'active' } } as const;
    const left = await stepThrough(tx, Enrollments, { after: state.after, limit: 25, where }, (enrollment) =>
      change(tx, enrollment, state.at),
    );
    return left && { ...state, ...left };
  },
});

export const pauseEnrollments = sagaOf('sequence-pause', 'paused', async (tx, enrollment, at) => {
  if (enrollment.heldAt !== null) return;
  tx.update(Enrollments, { ...enrollment, heldAt: at });
  if (enrollment.jobId !== null) pauseJob(tx, await getJob(tx, enrollment.jobId));
});

export const resumeEnrollments = sagaOf('sequence-resume', 'active', async (tx, enrollment, at) => {
  const { heldAt, nextRunAt, jobId } = enrollment;
  if (heldAt === null) return;
  const { startedAt, steps } = await tx.get(Sequences, { id: enrollment.sequenceId });
  const pausedMs = Math.max(0, new Date(at).getTime() - new Date(heldAt).getTime());
  // The first step of a draft that starts now may have a new delay.
  const resumedAt = startedAt === at ? shifted(at, (steps[0] as Step).delayMinutes * minuteMs) : undefined;
  tx.update(Enrollments, {
    ...enrollment,
    heldAt: null,
    nextRunAt: nextRunAt === null ? null : (resumedAt ?? shifted(nextRunAt, pausedMs)),
  });
  if (jobId === null) return;
  const job = await getJob(tx, jobId);
  resumeJob(tx, job, shifted(job.runAt, pausedMs));
});
