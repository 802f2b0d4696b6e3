import { removeTagEntries } from '#lib/contacts/tags-of-gone.ts';
import { secondMs } from '#lib/core/clock.ts';
import { pluralOf } from '#lib/core/text.ts';
import { forgetAddress } from '#lib/email/suppressed.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { Threads } from '#lib/entities/email-thread.ts';
import { Enrollments } from '#lib/entities/enrollment.ts';
import { Erasures } from '#lib/entities/erasure.ts';
import type { StoredMessage } from '#lib/entities/message.ts';
import { namingContacts } from '#lib/entities/naming-contacts.ts';
import { forgetReferences } from '#lib/entities/references/follow.ts';
import { Sequences } from '#lib/entities/sequence.ts';
import { Tags } from '#lib/entities/tag.ts';
import { withdrawExports } from '#lib/exports/withdraw.ts';
import { lastUnpublished } from '#lib/publishing/feed/published.ts';
import { endEnrollment } from '#lib/sequences/progress.ts';
import { listPage } from '#lib/table/list.ts';
import type { SagaKind } from '#lib/table/saga.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { eraseCopies } from './copies.ts';
import { awaitAttempts, eraseResponses } from './deliveries.ts';
import { eraseEvents } from './events.ts';
import { eraseFilesOf } from './files.ts';
import { eraseJobsNaming, eraseJobsOf, eraseQueued } from './jobs.ts';
import { eraseLooseMessages, eraseMessageIds, eraseThreadsNaming, eraseThreadsOf } from './mail.ts';
import { awaitMerges, erasePredecessor } from './merged.ts';
import { type Count, maxIds, ofLastRound, type Part, type Stage, stages } from './part.ts';
import { type Erasing, getErasure } from './start.ts';
import { eraseTraces } from './traces.ts';

type Work = (tx: UnitOfWork, state: Erasing, count: Count) => Promise<Part>;

const work: { [Name in Exclude<Stage, 'publishing'>]: Work } = {
  queued: eraseQueued,
  merges: awaitMerges,
  tags: eraseTags,
  jobs: (tx, state, count) => eraseJobsOf(tx, state, { contact: ofIdOf(state) }, count),
  enrollments: async (tx, state, count) => {
    const { items, hasMore } = await listPage(tx, Enrollments, { where: { contact: ofIdOf(state) }, limit: 20 });
    for (const enrollment of items) {
      if (!tx.hasRoom) return { isLeft: true };
      const sequence = await tx.find(Sequences, { id: enrollment.sequenceId });
      if (sequence && enrollment.status === 'active') endEnrollment(tx, sequence, enrollment, 'stopped');
      tx.delete(Enrollments, enrollment);
      count('enrollments');
    }
    return { isLeft: hasMore };
  },
  threads: eraseThreadsOf,
  'threads-naming': eraseThreadsNaming,
  'jobs-naming': eraseJobsNaming,
  rows: async (tx, state, count) => {
    const left = await forgetReferences(
      tx,
      Contacts,
      namingContacts,
      ofIdOf(state),
      state.place.since ?? null,
      async (of, row) => {
        count(pluralOf(of.name));
        await eraseFilesOf(tx, of, row, (message) => isInThread(tx, message));
      },
    );
    return left === undefined ? { isLeft: false } : { isLeft: true, place: { since: left } };
  },
  traces: async (tx, state) => {
    for (const email of state.emails) await forgetAddress(tx, email);
    return eraseTraces(tx, state);
  },
  'made-of': erasePredecessor,
  'loose-messages': eraseLooseMessages,
  'message-ids': eraseMessageIds,
  events: eraseEvents,
  exports: async (tx) => ({ isLeft: await withdrawExports(tx) }),
  attempts: awaitAttempts,
  responses: eraseResponses,
  copies: eraseCopies,
};

/** A tag that was deleted counts nobody any more. */
async function eraseTags(tx: UnitOfWork, { contactId, tagIds }: Erasing): Promise<Part> {
  const { tags, left } = await removeTagEntries(tx, contactId, tagIds);
  for (const { id } of tags) tx.add(Tags, { id }, { contactCount: -1 });
  return { isLeft: left.length > 0, tagIds: left };
}

const ofIdOf = ({ contactId, ofId = contactId }: Erasing) => ofId;

/** A thread that stays shows the files of its mails. */
const isInThread = async (tx: UnitOfWork, { channel, threadId }: StoredMessage): Promise<boolean> =>
  channel === 'email' && (await tx.find(Threads, { id: Number(threadId) })) !== undefined;

const publishingMs = 5 * secondMs;
const othersMs = secondMs;

/** Erases what is about a contact that is gone. */
export const erasing: SagaKind<Erasing, 'erase'> = {
  name: 'erase',
  async step(tx, state) {
    const erasure = await getErasure(tx, state.erasureId);
    const counts = { ...erasure.counts };
    const next = state.stage === 'publishing' ? await published(tx, state) : await part(tx, state, counts);
    const isDone = next === undefined;
    tx.update(Erasures, {
      ...erasure,
      counts,
      status: isDone ? 'completed' : 'running',
      ...(isDone && { erased: counts, completedAt: tx.now }),
    });
    return next;
  },
  waitMs: ({ stage, unpublished, place }) => {
    if (stage === 'publishing' && unpublished !== null) return publishingMs;
    return place.isWaiting ? othersMs : 0;
  },
};

async function part(tx: UnitOfWork, state: Erasing, counts: Record<string, number>): Promise<Erasing | undefined> {
  const { stage } = state as { stage: keyof typeof work };
  const { isLeft, ...changes } = await work[stage](tx, state, (kind) => {
    counts[kind] = (counts[kind] ?? 0) + 1;
  });
  return isLeft ? { ...state, ...changes } : after(tx, { ...state, ...changes });
}

/** The state of the next stage, undefined after the last one. */
function after(tx: UnitOfWork, state: Erasing): Erasing | undefined {
  const { isOverfull } = state;
  const stage = stages.slice(stages.indexOf(state.stage) + 1).find((one) => !isOverfull || !ofLastRound.includes(one));
  if (stage === undefined && isOverfull) {
    const contactIds = state.contactIds.length < maxIds ? state.contactIds : [state.contactId];
    return { ...state, stage: 'threads', place: {}, threadIds: [], contactIds, isOverfull: false, unpublished: null };
  }
  if (stage === 'publishing' && !isOverfull)
    tx.emit({
      kind: 'contact.erased',
      subject: `contact/${state.contactId}`,
      data: { contact_id: String(state.contactId), actor: tx.eventActor },
    });
  return stage && { ...state, stage, place: {} };
}

/** Waits until all events before the removal of the rows are in the feed. No later event can name the contact. */
async function published(tx: UnitOfWork, state: Erasing): Promise<Erasing | undefined> {
  const last = await lastUnpublished(tx.tenant, state.unpublished?.toSorted().at(-1));
  return last === undefined ? after(tx, state) : { ...state, unpublished: [last] };
}
