import { Contacts } from '#lib/entities/contact.ts';
import type { StoredEnrollment } from '#lib/entities/enrollment.ts';
import { mergedWith } from '#lib/entities/references/merged.ts';
import { holdersOf, type WrittenBy } from '#lib/entities/references/namesakes.ts';
import { listCopies } from '#lib/table/entries.ts';
import { stepThrough } from '#lib/table/list.ts';
import type { SagaKind } from '#lib/table/saga.ts';
import { leaveSaga } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { contactHasReplied, endEarly } from './end-early.ts';
import { runningEnrollments } from './running.ts';

/** Limit for the enrollments that end with a message of a contact. */
const maxAtOnce = 25;
type Replied = { by: WrittenBy; after: number | null } | { contactId: number };

/**
 * A contact wrote, on whatever channel: its sequences stop, and what they have not yet sent is not sent. The same person may be several
 * contacts, with one address or username: theirs stop soon after, and so do those of somebody who is in more than anybody should be.
 */
export async function contactReplied(tx: UnitOfWork, contactId: number, by?: WrittenBy): Promise<void> {
  if (await stopSequences(tx, await runningFew(tx, contactId))) leaveSaga<Replied>(tx, 'replied', { contactId });
  if (by === undefined) return;
  const holders = await listCopies(tx, Contacts, holdersOf(by).where, { limit: 2 });
  const isOthers = holders.some(({ of }) => Number(of.sk) !== contactId);
  if (isOthers) leaveSaga<Replied>(tx, 'replied', { by, after: null });
}

/** Stops the sequences of one contact, or of all that are whoever wrote. */
export const stopping: SagaKind<Replied, 'replied'> = {
  name: 'replied',
  async step(tx, state) {
    const stop = async (contactId: number) => stopSequences(tx, await runningFew(tx, contactId));
    if ('contactId' in state) return (await stop(state.contactId)) ? state : undefined;
    const stopAll = async (id: number) => {
      if (await stop(id)) leaveSaga<Replied>(tx, 'replied', { contactId: id });
    };
    const { by, after } = state;
    const left = await stepThrough(tx, Contacts, { after, limit: 25, ...holdersOf(by) }, ({ id }) => stopAll(id));
    return left && { by, ...left };
  },
};

/** As many as end at once of whoever the contact is, and one more where there is one. */
async function runningFew(tx: UnitOfWork, contactId: number): Promise<StoredEnrollment[]> {
  const contactIds = await mergedWith(tx, contactId);
  return (await Promise.all(contactIds.map((one) => runningEnrollments(tx, one, maxAtOnce + 1)))).flat();
}

/** Stops as many as the unit of work has room for. Returns whether some are left. */
async function stopSequences(tx: UnitOfWork, running: readonly StoredEnrollment[]): Promise<boolean> {
  for (const enrollment of running.slice(0, maxAtOnce)) {
    if (!tx.hasRoom) return true;
    await endEarly(tx, enrollment, 'replied', contactHasReplied);
  }
  return running.length > maxAtOnce;
}
