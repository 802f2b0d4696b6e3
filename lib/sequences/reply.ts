import { Contacts, hadEmail, MergedContacts } from '#lib/entities/contact.ts';
import type { StoredEnrollment } from '#lib/entities/enrollment.ts';
import { heirsOf, mergedWith, resolveMerged } from '#lib/entities/references/merged.ts';
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
/** Limit for the former owners of an address in one step: the heir of each may be merged from a hundred. */
const mergedPerStep = 10;
/** Limit for the heirs that are remembered. */
const maxHeirs = 1000;

/** `heirs`: those who hold the address themselves have been looked at, and of those who have it by a merge these. */
type Replied = { by: WrittenBy; after: number | null; heirs?: number[] } | { contactId: number };

/**
 * A contact wrote, on whatever channel: its sequences stop, and what they have not yet sent is not sent. The same person may be several
 * contacts, with one address or username: theirs stop soon after, and so do those of somebody who is in more than anybody should be.
 */
export async function contactReplied(tx: UnitOfWork, contactId: number, by?: WrittenBy): Promise<void> {
  if (await stopSequences(tx, await runningFew(tx, contactId))) leaveSaga<Replied>(tx, 'replied', { contactId });
  if (by === undefined) return;
  const [holders, hasOtherHeir] = await Promise.all([
    listCopies(tx, Contacts, holdersOf(by).where, { limit: 2 }),
    'email' in by && hasHeirBeside(tx, by.email, contactId),
  ]);
  const isOthers = hasOtherHeir || holders.some(({ of }) => Number(of.sk) !== contactId);
  if (isOthers) leaveSaga<Replied>(tx, 'replied', { by, after: null });
}

/** Limit for the former owners of an address that are compared, to find out whether all are merged into one. */
const maxDuplicates = 3;

/** Whether somebody else may have the address by a merge. */
async function hasHeirBeside(tx: UnitOfWork, email: string, contactId: number): Promise<boolean> {
  const { heirs, hasMore } = await heirsOf(tx, email, maxDuplicates);
  if (hasMore) return true;
  for await (const heir of heirs) if (heir.id !== contactId) return true;
  return false;
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
    const { by, after, heirs } = state;
    if (!heirs) {
      const left = await stepThrough(tx, Contacts, { after, limit: 25, ...holdersOf(by) }, ({ id }) => stopAll(id));
      if (left) return { by, ...left };
      return 'email' in by ? { by, after: null, heirs: [] } : undefined;
    }
    if (!('email' in by)) return undefined;
    // An heir of several contacts is stopped once.
    const met = new Set(heirs);
    const where = hadEmail(by.email);
    const left = await stepThrough(tx, MergedContacts, { after, limit: mergedPerStep, where }, async ({ into }) => {
      const heir = await resolveMerged(tx, into);
      if (heir && met.size < met.add(heir.id).size) await stopAll(heir.id);
    });
    return left && { by, ...left, heirs: [...met].slice(-maxHeirs) };
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
