import { Enrollments, type StoredEnrollment } from '#lib/entities/enrollment.ts';
import { Jobs, type StoredJob } from '#lib/entities/job.ts';
import { mergedWith } from '#lib/entities/references/merged.ts';
import { isWaiting } from '#lib/messages/jobs/store.ts';
import { listPage } from '#lib/table/list.ts';
import type { SagaKind } from '#lib/table/saga.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { endEarly } from './end-early.ts';
import { runningEnrollments } from './running.ts';

/** How an enrollment stands beside others of one person in one sequence: the first of them in this order goes on. */
interface Standing {
  enrollment: StoredEnrollment;
  stepsSent: number;
  /** A message that a sender has in hand may leave, whatever becomes of its enrollment. */
  inHandUntil: string | null;
}

/** The one that has sent more steps, then the one whose message left a queue first, then the one whose message is made, or that began first. */
function isAhead(one: Standing, other: Standing): boolean {
  const order = ({ enrollment: { currentStep, id }, stepsSent, inHandUntil }: Standing) =>
    [-stepsSent, inHandUntil ?? '~', -currentStep, id] as const;
  const [ours, theirs] = [order(one), order(other)];
  const index = ours.findIndex((value, at) => value !== theirs[at]);
  return index >= 0 && (ours[index] as number | string) < (theirs[index] as number | string);
}

async function standingOf(tx: UnitOfWork, enrollment: StoredEnrollment): Promise<Standing> {
  const job = enrollment.jobId === null ? undefined : await tx.find(Jobs, { id: enrollment.jobId });
  const isInHand = job?.status === 'queued' && !isWaiting(tx, job);
  // The enrollment may not record a sent message yet.
  const isUnsent = enrollment.jobId !== null && job?.status !== 'sent';
  return {
    enrollment,
    stepsSent: enrollment.currentStep - Number(isUnsent),
    inHandUntil: isInHand ? job.claimedUntil : null,
  };
}

/** By when a sender is done that has just claimed a message, as far as one can tell that does not know it. */
const lastOfAll = '9';

/**
 * Whether the person of an enrollment whose message a sender has in hand goes on with the same sequence by another, or by one meanwhile has
 * replied or come to its end: rows may yet have to follow a merge.
 */
export async function hasOneAhead(tx: UnitOfWork, enrollment: StoredEnrollment, job: StoredJob): Promise<boolean> {
  const { id, sequenceId, contactId, enrolledAt } = enrollment;
  const pages = (await mergedWith(tx, contactId)).map((one) =>
    listPage(tx, Enrollments, { where: { member: { sequenceId, contactId: one } }, within: { sequenceId }, limit: 25 }),
  );
  const others = (await Promise.all(pages)).flatMap(({ items }) => items);
  const own = { enrollment, stepsSent: enrollment.currentStep - 1, inHandUntil: job.claimedUntil ?? lastOfAll };
  // A completed contact may enroll again. Two enrollments at a time belonged to two contacts.
  const wasBeside = ({ completedAt }: StoredEnrollment) => String(completedAt) > enrolledAt;
  for (const other of others.filter((one) => one.id !== id)) {
    if (other.status === 'replied' && wasBeside(other)) return true;
    const isBeside = other.status === 'active' || (other.status === 'completed' && wasBeside(other));
    if (isBeside && isAhead(await standingOf(tx, other), own)) return true;
  }
  return false;
}

type Place = Pick<StoredEnrollment, 'sequenceId' | 'id'>;
type State = { contactId: number; left: Place[] | null };

/** Limit for the enrollments that are noted at once. */
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
  const running = await runningEnrollments(tx, contactId);
  const duplicates: Place[] = [];
  for (const [sequenceId, own] of Map.groupBy(running, (enrollment) => enrollment.sequenceId)) {
    if (own.length === 1) continue;
    if (duplicates.length >= maxNoted) break;
    const standings = await Promise.all(own.slice(0, maxNoted).map((enrollment) => standingOf(tx, enrollment)));
    const [, ...behind] = standings.sort((one, other) => (isAhead(one, other) ? -1 : 1));
    duplicates.push(...behind.map(({ enrollment: { id } }) => ({ sequenceId, id })));
  }
  return duplicates.slice(0, maxNoted);
}
