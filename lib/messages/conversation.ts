import type * as v from 'valibot';
import { notFound } from '#lib/core/problem.ts';
import { firstCharacters, oneLine } from '#lib/core/text.ts';
import { Contacts, type StoredContact } from '#lib/entities/contact.ts';
import type { Conversation, StoredConversation } from '#lib/entities/conversation.ts';
import { type StoredThread, Threads } from '#lib/entities/email-thread.ts';
import { Messages, type StoredMessage } from '#lib/entities/message.ts';
import { changed, inOrder, isAfter, opened, stateOf, united } from '#lib/entities/references/conversation.ts';
import { resolveMerged } from '#lib/entities/references/merged.ts';
import { changesOf, idText } from '#lib/events/changes.ts';
import { entries } from '#lib/table/entries.ts';
import { flatten } from '#lib/table/pages.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

type Kept = StoredConversation;

/** The row that holds a conversation: its contact's, or that of a mail thread without a contact. */
export type Place = { contact: StoredContact; thread?: never } | { thread: StoredThread; contact?: never };
export type Held = Place & { kept: Kept };

/** Contacts have the even ids, threads the odd ones: a conversation needs no row. */
const idOf = ({ contact, thread }: Place) => (contact ? 2 * contact.id : 2 * thread.id - 1);

/**
 * Returns a conversation after a message that was received or sent. One that somebody wrote opens it and waits for an answer;
 * spam and what programs write do neither.
 */
function following(tx: UnitOfWork, before: Kept | undefined, message: StoredMessage, isSpam: boolean): Kept {
  const { id, channel, direction, isAutomatic } = message;
  const at = message.sentAt ?? tx.now;
  const last = { lastMessageId: id, lastMessageAt: at };
  const kept = before ?? { channels: [], ...last, createdAt: tx.now, ...(isSpam && { state: 'done' as const }) };
  const isLast = before === undefined || isAfter(last, before);
  const isWritten = !isAutomatic && !isSpam;
  const { waitingSince } = kept;
  return changed(kept, {
    channels: inOrder([...kept.channels, channel]),
    ...(isLast && last),
    ...(isWritten && direction === 'inbound' && opened),
    ...(isWritten && direction === 'inbound' && isLast && { waitingSince: waitingSince ?? at }),
    ...(isWritten && direction === 'outbound' && waitingSince && at >= waitingSince && { waitingSince: null }),
  });
}

/**
 * Lets the conversation that a message belongs to follow it; `contact` is the message's. Emits conversation.updated when the message
 * opens it.
 */
export async function followMessage(
  tx: UnitOfWork,
  message: StoredMessage,
  contact: StoredContact | undefined,
): Promise<void> {
  const isRead = message.channel === 'email' && (contact === undefined || message.direction === 'inbound');
  const thread = isRead ? await tx.find(Threads, { id: Number(message.threadId) }) : undefined;
  const isSpam = thread?.status === 'spam' && message.direction === 'inbound';
  // Somebody else may have written in the thread of a contact.
  const holder = contact ?? (await contactOf(tx, thread));
  if (holder) {
    const before = united(holder.conversation, takenFrom(tx, thread, holder));
    const after = following(tx, before, message, isSpam);
    keep(tx, { contact: holder, kept: before ?? after }, after);
  } else if (thread) {
    const after = following(tx, thread.conversation, message, isSpam);
    keep(tx, { thread, kept: thread.conversation ?? after }, after);
  }
}

const contactOf = async (tx: UnitOfWork, thread: StoredThread | undefined) =>
  thread && thread.contactId !== null ? resolveMerged(tx, thread.contactId) : undefined;

/** Takes the conversation that a thread had before it got this contact. */
function takenFrom(tx: UnitOfWork, thread: StoredThread | undefined, { id }: StoredContact): Kept | undefined {
  if (thread?.conversation === undefined || thread.contactId !== id) return undefined;
  const { conversation, ...rest } = thread;
  tx.update(Threads, rest);
  return conversation;
}

const told = ['state', 'snoozedUntil', 'assignedToUserId'] as const;
const toldOf = (kept: Kept) => ({
  state: stateOf(kept),
  snoozedUntil: kept.snoozedUntil ?? null,
  assignedToUserId: kept.assignedToUserId ?? null,
});

/** Writes a conversation into its row. Emits conversation.updated if state, snooze, or assignee changed. */
export function keep(tx: UnitOfWork, held: Held, after: Kept): Held {
  const [from, to] = [toldOf(held.kept), toldOf(after)];
  const fields = told.filter((field) => from[field] !== to[field]);
  const kept = fields.length === 0 ? after : changed(after, { updatedAt: tx.now });
  if (fields.length > 0) announce(tx, held, changesOf(from, to, fields));
  if (held.thread) return { thread: tx.update(Threads, { ...held.thread, conversation: kept }), kept };
  return { contact: tx.update(Contacts, { ...held.contact, conversation: kept }), kept };
}

function announce(tx: UnitOfWork, place: Place, changes: ReturnType<typeof changesOf>): void {
  const { contact, thread } = place;
  tx.emit({
    kind: 'conversation.updated',
    subject: contact ? `contact/${contact.id}` : `email-thread/${thread.id}`,
    data: {
      conversation_id: String(idOf(place)),
      contact_id: idText(contact?.id ?? null),
      thread_id: idText(thread?.id ?? null),
      ...changes,
      actor: tx.eventActor,
    },
  });
}

/** Emits conversation.updated for messages that were read, or are unread again. */
export const announceUnread = (tx: UnitOfWork, place: Place, from: number, to: number): void =>
  announce(tx, place, changesOf({ unreadCount: from }, { unreadCount: to }, ['unreadCount']));

/** Whether a caller who may or may not read mail sees a conversation: without, one of mail alone is not there. */
export const isVisible = ({ kept }: Held, hasMail: boolean) => hasMail || kept.channels.some((one) => one !== 'email');

/** A conversation by its id, also by the one that it had as a thread before its contact was known. Raises 404. */
export async function getHeld(tx: UnitOfWork, id: number, hasMail: boolean): Promise<Held> {
  const held = await findHeld(tx, id);
  if (held === undefined || !isVisible(held, hasMail)) throw notFound('conversation');
  return held;
}

async function findHeld(tx: UnitOfWork, id: number): Promise<Held | undefined> {
  if (id % 2 === 0) return heldBy(await tx.find(Contacts, { id: id / 2 }));
  const thread = await tx.find(Threads, { id: (id + 1) / 2 });
  return thread && heldInThread(tx, thread);
}

/** The conversation of a contact, if a message was received or sent. */
export const heldBy = (contact: StoredContact | undefined): Held | undefined =>
  contact?.conversation && { contact, kept: contact.conversation };

/** The conversation of a thread, or of its contact. */
export async function heldInThread(tx: UnitOfWork, thread: StoredThread): Promise<Held | undefined> {
  if (thread.contactId !== null) return heldBy(await contactOf(tx, thread));
  return thread.conversation && { thread, kept: thread.conversation };
}

const maxPreviewCharacters = 140;

type Shown = v.InferInput<typeof Conversation>;

/** Facts of a conversation that is shown. */
interface Known {
  hasMail: boolean;
  last?: StoredMessage | undefined;
  unreadCount?: number;
}

/** A conversation as it is shown, without mail to those who may not read any. */
export async function toView(tx: UnitOfWork, held: Held, { hasMail, ...known }: Known): Promise<Shown> {
  const { kept, contact, thread } = held;
  const [last, unreadCount] = await Promise.all([
    known.last ?? findLast(tx, held),
    known.unreadCount ?? countUnread(tx, held, hasMail),
  ]);
  return {
    id: idOf(held),
    contactId: contact?.id ?? null,
    threadId: thread?.id ?? null,
    channels: kept.channels.filter((one) => hasMail || one !== 'email'),
    ...toldOf(kept),
    unreadCount,
    waitingSince: kept.waitingSince ?? null,
    lastMessage:
      last && (hasMail || last.channel !== 'email')
        ? { ...last, preview: firstCharacters(oneLine(last.body), maxPreviewCharacters) }
        : null,
    createdAt: kept.createdAt,
    updatedAt: kept.updatedAt ?? null,
  };
}

async function findLast(tx: UnitOfWork, { contact, kept }: Held): Promise<StoredMessage | undefined> {
  const id = kept.lastMessageId;
  const own = contact && (await tx.find(Messages, { contactId: contact.id, id }));
  return own ?? tx.find(Messages, { contactId: null, id });
}

/** Counts the messages that are not marked as read. */
export async function countUnread(tx: UnitOfWork, { contact, thread }: Place, hasMail = true): Promise<number> {
  if (thread) return thread.unreadCount;
  if (!contact.hasUnreadMessages) return 0;
  let unread = 0;
  for await (const { isMail } of flatten(entries(tx, Messages, { unread: { contactId: contact.id } })))
    unread += hasMail || !isMail ? 1 : 0;
  return unread;
}

/** A conversation. Raises 404. */
export const getConversation = async (tx: UnitOfWork, id: number, hasMail = true): Promise<Shown> =>
  toView(tx, await getHeld(tx, id, hasMail), { hasMail });
