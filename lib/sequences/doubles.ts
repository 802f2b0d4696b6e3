import { Enrollments, type StoredEnrollment } from '#lib/entities/enrollment.ts';
import { Sequences } from '#lib/entities/sequence.ts';
import { closeJob, getJob, isWaiting } from '#lib/jobs/store.ts';
import { resolveMerged } from '#lib/references/merged.ts';
import { listPage } from '#lib/table/list.ts';
import type { SagaKind } from '#lib/table/saga.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { endEnrollment } from './progress.ts';
import { runningEnrollments } from './running.ts';

/** Of two of one person in one sequence the one that has come further goes on, or else the one that began first. */
const isSenior = (one: StoredEnrollment, other: StoredEnrollment): boolean =>
  one.currentStep === other.currentStep ? one.id < other.id : one.currentStep > other.currentStep;

/** Whether the contact of an enrollment, or the one whom it was merged into, goes on with the same sequence by another. */
export async function hasSenior(tx: UnitOfWork, enrollment: StoredEnrollment): Promise<boolean> {
  const { id, sequenceId, contactId } = enrollment;
  const merged = await resolveMerged(tx, contactId);
  const pages = [...new Set([contactId, merged?.id ?? contactId])].map((one) =>
    listPage(tx, Enrollments, { where: { member: { sequenceId, contactId: one } }, within: { sequenceId }, limit: 25 }),
  );
  const others = (await Promise.all(pages)).flatMap(({ items }) => items);
  return others.some((other) => other.id !== id && other.status === 'active' && isSenior(other, enrollment));
}

type Place = Pick<StoredEnrollment, 'sequenceId' | 'id'>;
type State = { contactId: number; left: Place[] | null };

/** So many are noted at once. */
const maxNoted = 1000;

/** Two contacts who were in one sequence are one: one of the two enrollments ends, and what it has not yet sent is not sent. */
export const endingDoubles: SagaKind<State, 'doubles'> = {
  name: 'doubles',
  async step(tx, { contactId, left }) {
    if (left === null) {
      const found = await doublesOf(tx, contactId);
      return found.length === 0 ? undefined : { contactId, left: found };
    }
    for (const [index, place] of left.entries()) {
      if (!tx.hasRoom) return { contactId, left: left.slice(index) };
      await stop(tx, place);
    }
    return left.length < maxNoted ? undefined : { contactId, left: null };
  },
};

async function doublesOf(tx: UnitOfWork, contactId: number): Promise<Place[]> {
  const seniors = new Map<number, StoredEnrollment>();
  const doubles: Place[] = [];
  for (const enrollment of await runningEnrollments(tx, contactId)) {
    const known = seniors.get(enrollment.sequenceId);
    const [senior, junior] = known && isSenior(known, enrollment) ? [known, enrollment] : [enrollment, known];
    seniors.set(enrollment.sequenceId, senior);
    if (junior) doubles.push({ sequenceId: junior.sequenceId, id: junior.id });
  }
  return doubles.slice(0, maxNoted);
}

async function stop(tx: UnitOfWork, place: Place): Promise<void> {
  const enrollment = await tx.find(Enrollments, place);
  if (enrollment?.status !== 'active') return;
  const job = enrollment.jobId === null ? undefined : await getJob(tx, enrollment.jobId);
  endEnrollment(tx, await tx.get(Sequences, { id: place.sequenceId }), enrollment, 'stopped');
  if (job && isWaiting(tx, job)) await closeJob(tx, { ...job, status: 'failed', lastError: 'canceled' });
}
