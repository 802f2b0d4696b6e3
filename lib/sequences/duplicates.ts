import { Enrollments, type StoredEnrollment } from '#lib/entities/enrollment.ts';
import { resolveMerged } from '#lib/references/merged.ts';
import { listPage } from '#lib/table/list.ts';
import type { SagaKind } from '#lib/table/saga.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { endEarly } from './end-early.ts';
import { runningEnrollments } from './running.ts';

/** Of two of one person in one sequence the one that has come further goes on, or else the one that began first. */
const isAhead = (one: StoredEnrollment, other: StoredEnrollment): boolean =>
  one.currentStep === other.currentStep ? one.id < other.id : one.currentStep > other.currentStep;

/** Whether the contact of an enrollment, or the one whom it was merged into, goes on with the same sequence by another. */
export async function hasOneAhead(tx: UnitOfWork, enrollment: StoredEnrollment): Promise<boolean> {
  const { id, sequenceId, contactId } = enrollment;
  const merged = await resolveMerged(tx, contactId);
  const pages = [...new Set([contactId, merged?.id ?? contactId])].map((one) =>
    listPage(tx, Enrollments, { where: { member: { sequenceId, contactId: one } }, within: { sequenceId }, limit: 25 }),
  );
  const others = (await Promise.all(pages)).flatMap(({ items }) => items);
  return others.some((other) => other.id !== id && other.status === 'active' && isAhead(other, enrollment));
}

type Place = Pick<StoredEnrollment, 'sequenceId' | 'id'>;
type State = { contactId: number; left: Place[] | null };

/** So many are noted at once. */
const maxNoted = 1000;

/** Two contacts who were in one sequence are one: one of the two enrollments ends, and what it has not yet sent is not sent. */
export const endingDuplicates: SagaKind<State, 'duplicate-enrollments'> = {
  name: 'duplicate-enrollments',
  async step(tx, { contactId, left }) {
    if (left === null) {
      const found = await duplicatesOf(tx, contactId);
      return found.length === 0 ? undefined : { contactId, left: found };
    }
    for (const [index, place] of left.entries()) {
      if (!tx.hasRoom) return { contactId, left: left.slice(index) };
      const enrollment = await tx.find(Enrollments, place);
      if (enrollment?.status === 'active') await endEarly(tx, enrollment, 'stopped', 'canceled');
    }
    // There may be more than were noted.
    return { contactId, left: null };
  },
};

async function duplicatesOf(tx: UnitOfWork, contactId: number): Promise<Place[]> {
  const ahead = new Map<number, StoredEnrollment>();
  const duplicates: Place[] = [];
  for (const enrollment of await runningEnrollments(tx, contactId)) {
    const known = ahead.get(enrollment.sequenceId);
    const [first, second] = known && isAhead(known, enrollment) ? [known, enrollment] : [enrollment, known];
    ahead.set(enrollment.sequenceId, first);
    if (second) duplicates.push({ sequenceId: second.sequenceId, id: second.id });
  }
  return duplicates.slice(0, maxNoted);
}
