import type * as v from 'valibot';
import { chunks } from '#lib/core/async.ts';
import { dayMs, monthOf, shifted } from '#lib/core/clock.ts';
import { spellingsOf } from '#lib/core/mail-address.ts';
import { phoneDigits, phoneSpellings } from '#lib/core/phone.ts';
import { holdsWords, wordsOf } from '#lib/core/text.ts';
import { Contacts, type StoredContact } from '#lib/entities/contact.ts';
import { type Conversation, type ConversationQuery, cursorOf } from '#lib/entities/conversation.ts';
import { type StoredThread, Threads } from '#lib/entities/email-thread.ts';
import { Messages } from '#lib/entities/message.ts';
import { resolveMerged } from '#lib/entities/references/merged.ts';
import { listNoun } from '#lib/search/list.ts';
import { type Entity, entityPartition, type Item, keyOf } from '#lib/table/entity.ts';
import { type EntryRow, entries } from '#lib/table/entries.ts';
import { searchable } from '#lib/table/list.ts';
import { batches, flatten, isSpent, type Meter, newMeter, pages, stop } from '#lib/table/pages.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { type Held, heldBy, heldInThread, isVisible, toView } from './conversation.ts';

type Query = v.InferOutput<typeof ConversationQuery> & {
  /** Only conversations that wait for an answer of this member, or of nobody. */
  waitingFor?: number;
};
type Shown = v.InferInput<typeof Conversation>;

/** Entries that are looked at together. */
const perLook = 100;

/**
 * Lists conversations by their last message, newest first. It walks the index of messages by their time and takes the entries that
 * are the last of their conversation, so nothing is written for it and none is repeated that moved up between two pages.
 */
export async function listConversations(
  tx: UnitOfWork,
  query: Query,
  hasMail: boolean,
): Promise<{ items: Shown[]; nextCursor: string | null; hasMore: boolean }> {
  const meter = newMeter();
  const isWanted = await filterOf(tx, query, hasMail);
  const items: Shown[] = [];
  let last = '';
  const until = (place: string) => ({ items, nextCursor: cursorOf(place), hasMore: true });
  for await (const some of batches(happened(tx, query.cursor, meter), () => perLook)) {
    const lasts = await lastAmong(tx, some, meter);
    const wanted = lasts.filter(({ held }) => isVisible(held, hasMail) && isWanted(held));
    for (const part of chunks(wanted, query.limit + 1)) {
      for (const { shown, place } of await shownOf(tx, part, hasMail)) {
        if (query.unread !== undefined && query.unread !== shown.unreadCount > 0) continue;
        if (query.channel !== undefined && !shown.channels.includes(query.channel)) continue;
        if (items.length === query.limit) return until(last);
        items.push(shown);
        last = place;
      }
    }
    if (isSpent(meter)) stop(meter, String(some.at(-1)?.sk));
    if (meter.stoppedAt !== undefined) break;
  }
  return meter.stoppedAt === undefined ? { items, nextCursor: null, hasMore: false } : until(meter.stoppedAt);
}

/** The entries of messages that were received or sent, newest first, month by month down to the first one. */
async function* happened(tx: UnitOfWork, below: string | undefined, meter: Meter): AsyncGenerator<EntryRow> {
  let month = monthOf(below ?? shifted(tx.now, dayMs));
  let first: string | undefined;
  for (;;) {
    const range = { limit: perLook, grows: true, meter, ...(below?.startsWith(month) && { below }) };
    yield* flatten(entries(tx, Messages, { month }, range));
    if (meter.stoppedAt !== undefined) return;
    first ??= await firstMonth(tx);
    if (month <= first) return;
    if (isSpent(meter)) return stop(meter, month);
    month = monthBefore(month);
  }
}

const monthBefore = (month: string) => monthOf(shifted(`${month}-01T00:00:00Z`, -1));

/** The month before that in which the first message was stored: platforms may tell of one late. */
async function firstMonth(tx: UnitOfWork): Promise<string> {
  const firsts = await Promise.all([firstStored(tx), firstOfNobody(tx)]);
  const [first = tx.now] = firsts.filter((at) => at !== undefined).sort();
  return monthBefore(monthOf(first));
}

async function firstStored(tx: UnitOfWork): Promise<string | undefined> {
  for await (const { of } of flatten(entries(tx, Messages, { all: true }, { ascending: true, limit: 1 })))
    return (await tx.findAllByKey(Messages, [of]))[0]?.createdAt;
  return undefined;
}

/** Messages with nobody who is a contact. */
async function firstOfNobody(tx: UnitOfWork): Promise<string | undefined> {
  const pk = entityPartition(tx.tenant, Messages, { contactId: null });
  for await (const row of flatten(pages({ pk, ascending: true, limit: 1 }))) return String(row['createdAt']);
  return undefined;
}

interface Last {
  held: Held;
  entry: EntryRow;
}

/** Returns the entries that are the last message of their conversation. */
async function lastAmong(tx: UnitOfWork, some: readonly EntryRow[], meter: Meter): Promise<Last[]> {
  const idsOf = (field: string) => [...new Set(some.flatMap((entry) => (entry[field] ? [Number(entry[field])] : [])))];
  const read = <E extends Entity>(of: E, ids: readonly number[]): Promise<Item<E>[]> => {
    const keys = ids.map((id) => keyOf(tx.tenant, of, { id } as Partial<Item<E>>));
    return tx.findAllByKey(of, keys, undefined, true, meter);
  };
  const [contacts, threads] = await Promise.all([read(Contacts, idsOf('contactId')), read(Threads, idsOf('threadId'))]);
  const contactBy = new Map(contacts.map((contact) => [contact.id, contact]));
  const threadBy = new Map(threads.map((thread) => [thread.id, thread]));
  const lasts: Last[] = [];
  for (const entry of some) {
    const { contactId, threadId, of } = entry as unknown as Seen;
    const thread = threadId === undefined ? undefined : threadBy.get(threadId);
    const contact = contactId === null ? undefined : (contactBy.get(contactId) ?? (await resolveMerged(tx, contactId)));
    if (contact?.archive) continue;
    const held = contactId === null ? thread && (await heldInThread(tx, thread)) : heldBy(contact);
    if (held?.kept.lastMessageId === Number(of.sk)) lasts.push({ held, entry });
  }
  return lasts;
}

/** As much of a message as its entry has. */
interface Seen {
  contactId: number | null;
  threadId?: number;
  of: EntryRow['of'];
}

async function shownOf(tx: UnitOfWork, lasts: readonly Last[], hasMail: boolean) {
  const keys = lasts.map(({ entry }) => entry.of);
  const messages = new Map((await tx.findAllByKey(Messages, keys, undefined, true)).map((one) => [one.id, one]));
  return Promise.all(
    lasts.map(async ({ held, entry }) => ({
      shown: await toView(tx, held, { hasMail, last: messages.get(Number(entry.of.sk)) }),
      place: entry.sk,
    })),
  );
}

type Filter = (held: Held) => boolean;

/** Returns the filter of what its row tells of a conversation. */
async function filterOf(tx: UnitOfWork, query: Query, hasMail: boolean): Promise<Filter> {
  const { state, assignedToUserId: assignee, unread, accountId, tagId, q, waitingFor } = query;
  const isFound = q === undefined ? () => true : await searchOf(tx, q, hasMail);
  return (held) => {
    const { kept, contact, thread } = held;
    if (state !== undefined && (kept.state ?? 'open') !== state) return false;
    if (assignee !== undefined && (kept.assignedToUserId ?? 'none') !== assignee) return false;
    if (waitingFor !== undefined && (!kept.waitingSince || (kept.assignedToUserId ?? waitingFor) !== waitingFor))
      return false;
    if (unread && !(contact ? contact.hasUnreadMessages : thread.unreadCount > 0)) return false;
    if (accountId !== undefined && !contact?.reach?.some((one) => one.accountId === accountId)) return false;
    if (tagId !== undefined && !contact?.tagIds.includes(tagId)) return false;
    return isFound(held);
  };
}

/** Limit of the threads of contacts whose subjects are looked at, the newest first. */
const maxThreads = 1000;

/** Finds people by what is known of them, and mail by the subject of its thread. */
async function searchOf(tx: UnitOfWork, q: string, hasMail: boolean): Promise<Filter> {
  const words = wordsOf(q, phoneSpellings);
  const hasWords = (...texts: (string | null | undefined)[]) =>
    holdsWords(searchable(...texts.map((text) => text ?? null)).text, words);
  const matches = ({ subject, contactId }: StoredThread) => contactId !== null && hasWords(subject);
  const listing = { words, matches, columns: ['subject', 'contactId'], limit: maxThreads };
  const threads = hasMail ? (await listNoun(tx, Threads, listing)).items : [];
  const bySubject = new Set(threads.map(({ contactId }) => contactId));
  return ({ contact, thread }) =>
    contact
      ? bySubject.has(contact.id) || hasWords(...textsOf(contact))
      : hasWords(thread.subject, ...thread.participants.flatMap(({ name, email }) => [name, ...spellingsOf(email)]));
}

const textsOf = ({ name, company, username, email, phone }: StoredContact) => [
  ...[name, company, username, email, phone],
  phone && phoneDigits(phone),
];
