import type * as v from 'valibot';
import { countInTags } from '#lib/contacts/archive.ts';
import { invalidField, notFound } from '#lib/core/problem.ts';
import { Contacts, type Traces } from '#lib/entities/contact.ts';
import { valuesOf } from '#lib/entities/contact-address.ts';
import { type EraseContact, Erasures, type StoredErasure } from '#lib/entities/erasure.ts';
import { reachOf, tracesOf } from '#lib/entities/references/reach.ts';
import { leaveSaga } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { countReadUnits } from '#lib/table/usage.ts';
import { type Place, type Stage, stages } from './part.ts';

export interface Erasing extends Traces, Record<string, unknown> {
  /** The e-mail addresses of the contact. */
  emails: string[];
  /** Addresses whose threads are still to be looked for. */
  emailsLeft: string[];
  erasureId: number;
  contactId: number;
  stage: Stage;
  place: Place;
  /** Its tags, as far as they still count it. */
  tagIds: number[];
  /** IDs of the threads that are gone. */
  threadIds: number[];
  /** The contact, and those that were merged into it, as far as their events are still to lose their data. */
  contactIds: number[];
  /** Contacts whose predecessors are not found yet. */
  madeOf: number[];
  /** Predecessor whose rows are looked for; absent for the contact itself. */
  ofId?: number;
  /** The accounts of jobs that went; when they are `maxIds`, there may be others. */
  senderIds: number[];
  /** Another round is to follow. */
  isOverfull: boolean;
  /** The last place of what has yet to become events, of what had when the last row was gone. */
  unpublished: string[] | null;
}

/** An erasure reads the whole feed after its call, and counts as so many read units in the minute of its key. */
const unitsOfErasure = 10_000;

/**
 * Erases a contact and everything that is about it alone: it is gone with this commit, the rest is left to the saga (contract
 * section 26). Raises 404, and 400 without its id as confirmation.
 */
export async function eraseContact(
  tx: UnitOfWork,
  id: number,
  { confirm }: v.InferOutput<typeof EraseContact>,
): Promise<StoredErasure> {
  const [contact] = await Promise.all([tx.find(Contacts, { id }), tx.reserveIds({ [Erasures.name]: 1 })]);
  if (contact === undefined) throw notFound('contact');
  if (confirm !== String(id))
    throw invalidField('confirm', 'invalid_format', `confirm must be "${id}", the id of the contact`);
  tx.afterwards(async () => countReadUnits(unitsOfErasure));
  const reach = await reachOf(tx, contact);
  if (contact.archive) await countInTags(tx, contact, 1);
  const emails = valuesOf(contact, 'email');
  tx.delete(Contacts, contact);
  tx.leaveEntries(Contacts, contact, 'tag');
  const erasure = tx.create(Erasures, {
    id: await tx.nextId(Erasures),
    status: 'queued',
    createdAt: tx.now,
    completedAt: null,
    erased: null,
    counts: { contacts: 1 },
  });
  leaveSaga<Erasing>(tx, 'erase', {
    erasureId: erasure.id,
    contactId: id,
    stage: stages[0],
    place: {},
    tagIds: contact.tagIds,
    ...tracesOf(contact, reach),
    emails,
    emailsLeft: emails,
    threadIds: [],
    contactIds: [id],
    madeOf: [id],
    senderIds: [],
    isOverfull: false,
    unpublished: null,
  });
  return erasure;
}

/** How far an erasure is. Raises 404. */
export const getErasure = (tx: UnitOfWork, id: number): Promise<StoredErasure> =>
  tx.get(Erasures, { id }, () => notFound('erasure'));
