import { minuteMs, shifted } from '#lib/core/clock.ts';
import { Enrollments, type StoredEnrollment } from '#lib/entities/enrollment.ts';
import type { StoredJob } from '#lib/entities/job.ts';
import { Sequences, type StoredSequence } from '#lib/entities/sequence.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

type Ending = 'replied' | 'completed' | 'failed' | 'stopped';

/** The counter of each ending; a stopped enrollment is only no longer active. */
const counterOf = { replied: 'repliedCount', completed: 'completedCount', failed: 'failedCount' } as const;

/** When a step is due that is counted from now; null for one that is paused. */
export const dueAfter = (tx: UnitOfWork, { delayMinutes }: { delayMinutes: number }): string =>
  shifted(tx.now, delayMinutes * minuteMs);

/** The job of a step was sent or failed: the enrollment goes on to its next step, or ends. */
export async function stepCompleted(tx: UnitOfWork, job: StoredJob): Promise<void> {
  const { id, sequenceId, enrollmentId } = job;
  if (sequenceId === null || enrollmentId === null) return;
  const [enrollment, sequence] = await Promise.all([
    tx.find(Enrollments, { sequenceId, id: enrollmentId }),
    tx.get(Sequences, { id: sequenceId }),
  ]);
  if (enrollment?.status !== 'active' || enrollment.jobId !== id) return;
  const next = sequence.steps[enrollment.currentStep];
  if (job.status === 'failed') {
    endEnrollment(tx, sequence, enrollment, job.lastError === 'canceled' ? 'stopped' : 'failed', job.lastError);
  } else if (next === undefined) {
    endEnrollment(tx, sequence, enrollment, 'completed');
  } else {
    // A pause in the meantime would hold the jobs that still wait for this message.
    tx.requireUnchanged(Sequences, sequence);
    tx.update(Enrollments, {
      ...enrollment,
      jobId: null,
      nextRunAt: dueAfter(tx, next),
      heldAt: sequence.status === 'active' ? null : tx.now,
    });
  }
}

/** Ends an enrollment, and the sequence when it was the last active one. Emits enrollment.status_changed. */
export function endEnrollment(
  tx: UnitOfWork,
  sequence: StoredSequence,
  enrollment: StoredEnrollment,
  status: Ending,
  lastError: string | null = null,
): void {
  tx.update(Enrollments, {
    ...enrollment,
    status,
    lastError,
    nextRunAt: null,
    heldAt: null,
    jobId: null,
    completedAt: tx.now,
  });
  tx.emit({
    kind: 'enrollment.status_changed',
    subject: `contact/${enrollment.contactId}`,
    data: {
      enrollment_id: String(enrollment.id),
      sequence_id: String(sequence.id),
      contact_id: String(enrollment.contactId),
      from_status: enrollment.status,
      to_status: status,
    },
  });
  const activeCount = sequence.activeCount - 1;
  const counted = {
    ...sequence,
    activeCount,
    ...(status !== 'stopped' && { [counterOf[status]]: sequence[counterOf[status]] + 1 }),
  };
  if (activeCount === 0 && sequence.status === 'active') changeStatus(tx, counted, 'completed');
  else tx.update(Sequences, counted);
}

/** Moves a sequence to another status. Emits sequence.status_changed. */
export function changeStatus(
  tx: UnitOfWork,
  sequence: StoredSequence,
  status: StoredSequence['status'],
): StoredSequence {
  tx.emit({
    kind: 'sequence.status_changed',
    subject: `sequence/${sequence.id}`,
    data: {
      sequence_id: String(sequence.id),
      name: sequence.name,
      from_status: sequence.status,
      to_status: status,
      actor: tx.eventActor,
    },
  });
  return tx.update(Sequences, {
    ...sequence,
    status,
    startedAt: sequence.startedAt ?? tx.now,
    pausedAt: status === 'paused' ? tx.now : null,
    updatedAt: tx.now,
  });
}
