import * as v from 'valibot';
import { inParallel } from '#lib/core/async.ts';
import { channels } from '#lib/core/channel.ts';
import { phoneDigits, phoneSpellings } from '#lib/core/phone.ts';
import { choice, paging, queryBoolean, queryText, storedChoice } from '#lib/core/schema.ts';
import { firstCharacters, holdsWords, wordsOf } from '#lib/core/text.ts';
import { Contact, Contacts, type StoredContact } from '#lib/entities/contact.ts';
import { Message, Messages, type StoredMessage } from '#lib/entities/message.ts';
import { entityPartition } from '#lib/table/entity.ts';
import { entries } from '#lib/table/entries.ts';
import { identity, type Key } from '#lib/table/keys.ts';
import { type Page, searchable } from '#lib/table/list.ts';
import { batches, belowId, flatten, type Meter, newMeter, pages } from '#lib/table/pages.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

const { id, name, company, stage } = Contact.entries;
const { id: messageId, channel, direction, body, createdAt, status } = Message.entries;

/** Conversation with a contact, with its last message (contract section 27, Inbox). */
export const Conversation = v.pipe(
  v.object({
    contact: v.pipe(v.object({ id, name, company, stage }), v.title('InboxContact')),
    hasUnreadMessages: v.boolean(),
    channels: v.array(storedChoice(channels)),
    lastMessage: v.pipe(
      v.object({ id: messageId, channel, direction, body, createdAt, status }),
      v.title('InboxMessage'),
    ),
  }),
  v.title('InboxConversation'),
);

export const ConversationQuery = v.object({
  ...paging,
  q: v.optional(queryText()),
  isUnread: v.optional(queryBoolean()),
  channel: v.optional(choice(channels)),
});
type Query = v.InferOutput<typeof ConversationQuery>;

const maxBodyCharacters = 200;
/** Limit for the unread conversations that come first, each with a query. Any more are sorted among the read ones. */
const maxUnread = 200;
/** Offset above every id, which sorts unread conversations before all others. */
const unreadFirst = 2 ** 32;
/** Read units that one call spends on finding last messages: entries of about 20,000 messages. */
const maxUnits = 500;
const sideBySide = 32;

/** The last message of a conversation, as far as it is known before it is read. */
interface Last {
  contactId: number;
  messageId: number;
  key: Key;
}
interface Candidate extends Last {
  /** Descending through the list: what its cursor says. */
  place: number;
}

/**
 * Conversations with something unread first, then all others, each by its last message, newest first. Nothing is written for it: it
 * follows from the index of all messages, in which those who wrote last are found first. A page that would take too much reading ends
 * early, with a cursor.
 */
export async function listConversations(
  tx: UnitOfWork,
  query: Query,
): Promise<Page<v.InferOutput<typeof Conversation>>> {
  const meter = newMeter({ units: maxUnits });
  const { limit } = query;
  const items: v.InferOutput<typeof Conversation>[] = [];
  let last: number | null = null;
  for await (const some of batches(candidates(tx, query, meter), () => limit + 1)) {
    const [contacts, messages] = await Promise.all([
      tx.findAll(
        Contacts,
        some.map(({ contactId }) => ({ id: contactId })),
      ),
      tx.findAllByKey(
        Messages,
        some.map(({ key }) => key),
      ),
    ]);
    for (const { contactId, messageId, place } of some) {
      const contact = contacts.find((one) => one.id === contactId);
      const message = messages.find((one) => one.id === messageId);
      // A merge or an erasure has just taken it away.
      if (!contact || !message || !isAsked(contact, message, query)) continue;
      if (items.length === limit) return { items, nextCursor: last, hasMore: true };
      items.push(shown(contact, message));
      last = place;
    }
  }
  if (meter.stoppedAt !== undefined) return { items, nextCursor: Number(meter.stoppedAt), hasMore: true };
  return { items, nextCursor: null, hasMore: false };
}

/** The last messages of conversations in the order of the list, below its cursor. */
async function* candidates(tx: UnitOfWork, { after, isUnread }: Query, meter: Meter): AsyncGenerator<Candidate> {
  const unread = await unreadContacts(tx);
  const isBelow = ({ place }: Candidate) => after === undefined || place < after;
  if (isUnread !== false && (after === undefined || after > unreadFirst)) {
    const lasts = await lastOf(tx, [...unread]);
    const placed = lasts.map((one) => ({ ...one, place: one.messageId + unreadFirst }));
    yield* placed.filter(isBelow).sort((a, b) => b.place - a.place);
  }
  if (isUnread && unread.size < maxUnread) return;
  const below = after === undefined || after > unreadFirst ? undefined : after;
  const met = new Set(unread);
  const range = { below: belowId(below), limit: 200, grows: true, meter };
  for await (const page of entries(tx, Messages, { all: true }, range)) {
    const fresh = page
      .map(({ of }) => placeOf(of))
      .filter(({ contactId }) => !met.has(contactId) && met.add(contactId));
    yield* (below === undefined ? fresh : await stillLast(tx, fresh)).map((one) => ({
      ...one,
      place: one.messageId,
    }));
  }
}

/** Returns the entries that are still the last message of their conversation. */
async function stillLast(tx: UnitOfWork, some: readonly Last[]): Promise<Last[]> {
  const lasts = await lastOf(
    tx,
    some.map(({ contactId }) => contactId),
  );
  const known = new Set(lasts.map(({ key }) => identity(key)));
  return some.filter(({ key }) => known.has(identity(key)));
}

/** The contacts with something unread, the newest of them. */
async function unreadContacts(tx: UnitOfWork): Promise<Set<number>> {
  const found = new Set<number>();
  for await (const { of } of flatten(entries(tx, Contacts, { unread: true }, { limit: maxUnread }))) {
    found.add(Number(of.sk));
    if (found.size === maxUnread) break;
  }
  return found;
}

/** The last message with each of some contacts. */
async function lastOf(tx: UnitOfWork, contactIds: readonly number[]): Promise<Last[]> {
  const found: Last[] = [];
  await inParallel(contactIds, sideBySide, async (contactId) => {
    const pk = entityPartition(tx.tenant, Messages, { contactId });
    for await (const { sk } of flatten(pages({ pk, limit: 1 }))) {
      found.push(placeOf({ pk, sk }));
      break;
    }
  });
  return found;
}

/** The contact in whose partition a message lies, and its id. */
const placeOf = (key: Key): Last => ({
  contactId: Number(/\/(\d+)\//.exec(key.pk)?.[1]),
  messageId: Number(key.sk),
  key: { pk: key.pk, sk: key.sk },
});

function isAsked(contact: StoredContact, message: StoredMessage, { q, isUnread, channel: asked }: Query): boolean {
  if (isUnread !== undefined && contact.hasUnreadMessages !== isUnread) return false;
  if (asked !== undefined && !channelsOf(contact, message).includes(asked)) return false;
  const texts = [contact.name, contact.company, contact.username, contact.email, contact.phone];
  const digits = contact.phone && phoneDigits(contact.phone);
  return q === undefined || holdsWords(searchable(...texts, digits).text, wordsOf(q, phoneSpellings));
}

/** On which the contact can be written to, or has been. */
const channelsOf = ({ identities, email }: StoredContact, { channel: lastOn }: StoredMessage) =>
  channels.filter((one) => one === lastOn || one in identities || (one === 'email' && email !== null));

const shown = (contact: StoredContact, message: StoredMessage): v.InferOutput<typeof Conversation> => ({
  contact,
  hasUnreadMessages: contact.hasUnreadMessages,
  channels: channelsOf(contact, message),
  lastMessage: { ...message, body: firstCharacters(message.body, maxBodyCharacters) },
});
