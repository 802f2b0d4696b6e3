import { conflict, notFound, unknownReference } from '#lib/core/problem.ts';
import { randomText } from '#lib/core/random.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { Enrollments, type StoredEnrollment } from '#lib/entities/enrollment.ts';
import { Sequences, type Step } from '#lib/entities/sequence.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { endEarly } from './end-early.ts';
import { changeStatus, dueAfter } from './progress.ts';
import { runningEnrollments } from './running.ts';
import { getSequence } from './store.ts';

/**
 * Enrolls a contact: its first step is due after that step's delay. A completed sequence becomes active again. Raises 404, 400 for
 * an unknown contact, 409 for one that is in the sequence already.
 */
export async function enroll(
  tx: UnitOfWork,
  id: number,
  contactId: number,
  linkBase: string | null = null,
): Promise<StoredEnrollment> {
  const [sequence, contact] = await Promise.all([
    getSequence(tx, id),
    tx.get(Contacts, { id: contactId }, () => unknownReference('contactId')),
    tx.reserveIds({ [Enrollments.name]: 1 }),
  ]);
  // Read after the sequence, whose change it is conditional on: of two who enroll at once, the later one sees the other.
  const running = await runningEnrollments(tx, contactId);
  if (running.some(({ sequenceId }) => sequenceId === id)) {
    throw conflict(
      'already_enrolled',
      `contact ${contactId} is already in this sequence: wait until it ends, or stop it first`,
    );
  }
  const counted = {
    ...sequence,
    enrolledCount: sequence.enrolledCount + 1,
    activeCount: sequence.activeCount + 1,
  };
  if (sequence.status === 'completed') changeStatus(tx, counted, 'active');
  else tx.update(Sequences, counted);
  const isPaused = sequence.status === 'paused' || sequence.status === 'draft';
  return tx.create(Enrollments, {
    id: await tx.nextId(Enrollments),
    sequenceId: id,
    contactId,
    contactName: contact.name,
    status: 'active',
    currentStep: 0,
    nextRunAt: dueAfter(tx, sequence.steps[0] as Step),
    lastError: null,
    enrolledAt: tx.now,
    completedAt: null,
    jobId: null,
    threadId: null,
    secret: randomText(22),
    linkBase,
    heldAt: isPaused ? tx.now : null,
  });
}

/** Stops an enrollment that is under way; one that has ended stays as it is. Raises 404. */
export async function takeOut(tx: UnitOfWork, sequenceId: number, id: number): Promise<StoredEnrollment> {
  const enrollment = await tx.get(Enrollments, { sequenceId, id }, () => notFound('enrollment'));
  if (enrollment.status !== 'active') return enrollment;
  await endEarly(tx, enrollment, 'stopped', 'canceled');
  return tx.get(Enrollments, { sequenceId, id });
}
