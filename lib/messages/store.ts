import { isDeepStrictEqual } from 'node:util';
import type * as v from 'valibot';
import { restoreWriter } from '#lib/contacts/archive.ts';
import { latest } from '#lib/core/clock.ts';
import { notFound } from '#lib/core/problem.ts';
import { Contacts, type StoredContact } from '#lib/entities/contact.ts';
import {
  type AtPlatform,
  happenedAt,
  hasHappened,
  type MessageQuery,
  Messages,
  messageTexts,
  movesUntil,
  platformOrder,
  type StoredMessage,
  type WorkspaceMessageQuery,
} from '#lib/entities/message.ts';
import { mergedInto, presentId, resolveMerged } from '#lib/entities/references/merged.ts';
import { reachBy, reachOf, unite } from '#lib/entities/references/reach.ts';
import { changesOf, idText } from '#lib/events/changes.ts';
import { WriteConflict } from '#lib/table/change.ts';
import { entries } from '#lib/table/entries.ts';
import { type Key, sortableId } from '#lib/table/keys.ts';
import { type Listing, listPage, type Page } from '#lib/table/list.ts';
import { listingFrom } from '#lib/table/listing.ts';
import { flatten } from '#lib/table/pages.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { followMessage } from './conversation.ts';

type Attachments = StoredMessage['attachments'];

export interface NewMessage {
  contactId: number | null;
  channel: StoredMessage['channel'];
  direction: StoredMessage['direction'];
  status: StoredMessage['status'];
  body: string;
  threadId?: string | null;
  accountId?: number | null;
  jobId?: number | null;
  attachments?: Attachments;
  sentAt?: string | null;
  /** A program wrote it. */
  isAutomatic?: boolean;
  editedAt?: string | null;
  entities?: StoredMessage['entities'];
  replyToMessageId?: number | null;
  forwardedFrom?: string | null;
  data?: StoredMessage['data'];
  /** Place of the message at its platform. Check with `findMessageAt` first that the message is new. */
  atPlatform?: AtPlatform | null;
}

/**
 * Adds a message to the conversation with a contact. A received or sent one emits message.created and is the contact's last
 * message; a received one is unread, and restores an archived contact. Ids come from the counter `message`.
 */
export async function storeMessage(tx: UnitOfWork, input: NewMessage): Promise<StoredMessage> {
  const { contactId, channel, direction, status, body } = input;
  const isOver = hasHappened({ status });
  if (contactId !== null && !isOver) tx.requireExists(Contacts, { id: contactId });
  if (contactId !== null && direction === 'inbound') await restoreWriter(tx, contactId);
  // Nobody writes to an archived contact.
  if (tx.refusesArchived) await findContact(tx, contactId);
  const [id] = await Promise.all([tx.nextId(Messages), isOver && findContact(tx, contactId)]);
  const message = tx.create(Messages, {
    id,
    contactId,
    channel,
    direction,
    body,
    threadId: input.threadId ?? null,
    accountId: input.accountId ?? null,
    jobId: input.jobId ?? null,
    status,
    isRead: direction === 'outbound',
    attachments: input.attachments ?? [],
    entities: input.entities ?? [],
    replyToMessageId: input.replyToMessageId ?? null,
    forwardedFrom: input.forwardedFrom ?? null,
    data: input.data ?? null,
    sentAt: isOver ? (input.sentAt ?? tx.now) : null,
    editedAt: input.editedAt ?? null,
    readAt: null,
    createdAt: tx.now,
    atPlatform: input.atPlatform ?? null,
    isAutomatic: input.isAutomatic ?? false,
  });
  if (isOver) await announce(tx, message);
  return message;
}

/** The message of a job follows the job's status; when it is sent, message.created is emitted. */
export async function settleMessage(
  tx: UnitOfWork,
  place: { contactId: number | null; messageId: number; atPlatform?: AtPlatform | undefined },
  status: 'queued' | 'sent' | 'failed',
): Promise<void> {
  const stored = await tx.get(Messages, { contactId: place.contactId, id: place.messageId });
  const atPlatform = place.atPlatform ?? stored.atPlatform;
  const message = tx.update(Messages, { ...stored, status, sentAt: status === 'sent' ? tx.now : null, atPlatform });
  if (status === 'sent') await announce(tx, message);
}

/** Puts the message of a job into the conversation of the contact that its recipient turned out to be. */
export async function assignMessage(
  tx: UnitOfWork,
  place: { contactId: number | null; messageId: number },
  contact: StoredContact,
): Promise<void> {
  const message = await tx.get(Messages, { contactId: place.contactId, id: place.messageId });
  tx.delete(Messages, message);
  tx.create(Messages, { ...message, contactId: contact.id });
}

/** A message of an account by what the platform calls it. */
interface PlatformPlace extends AtPlatform {
  accountId: number;
}

/** Our message of what a platform has, also one that this unit of work has stored. */
export async function findMessageAt(tx: UnitOfWork, place: PlatformPlace): Promise<StoredMessage | undefined> {
  const { accountId, userId, messageId } = place;
  const own = tx
    .written(Messages)
    .find(
      ({ accountId: account, atPlatform }) =>
        account === accountId && atPlatform?.userId === userId && atPlatform.messageId === messageId,
    );
  if (own) return own;
  const { above, below } = bounds(messageId);
  const range = { above, below, limit: 1 };
  for await (const entry of flatten(entries(tx, Messages, { platform: { accountId, userId } }, range)))
    return (await messagesAt(tx, [entry.of]))[0];
  return undefined;
}

/** A message by its id alone, whoever it is with. */
export async function findMessage(tx: UnitOfWork, id: number): Promise<StoredMessage | undefined> {
  const range = { above: `${sortableId(id - 1)}#`, below: `${sortableId(id)}#`, limit: 1 };
  for await (const { of } of flatten(entries(tx, Messages, { all: true }, range)))
    return (await messagesAt(tx, [of]))[0];
  return tx.find(Messages, { contactId: null, id });
}

/** The same. Raises 404, also for one with nobody who is a contact: such are listed nowhere. */
export async function getMessage(tx: UnitOfWork, id: number): Promise<StoredMessage> {
  const message = await findMessage(tx, id);
  if (message?.contactId == null) throw notFound('message');
  return message;
}

/** Returns whether a message has been edited after that moment: an edit from then comes too late. */
export const isLateEdit = ({ editedAt }: StoredMessage, at: string): boolean => editedAt !== null && at < editedAt;

/** Fields that an edit changes. */
export type Edited = Pick<StoredMessage, 'body'> & Partial<Pick<StoredMessage, 'entities' | 'data' | 'attachments'>>;

/**
 * Edits a received message, unless the edit is older or the same. Emits message.updated unless `isSilent`: more parts of the edit follow,
 * and the last one emits.
 */
export async function editMessage(
  tx: UnitOfWork,
  message: StoredMessage,
  { editedAt = tx.now, isSilent = false, ...edit }: Edited & { editedAt?: string | undefined; isSilent?: boolean },
): Promise<StoredMessage> {
  if (isLateEdit(message, editedAt)) return message;
  const fields = typedKeys(edit).filter((field) => !isDeepStrictEqual(edit[field], message[field]));
  if (fields.length === 0) return message;
  const edited = tx.update(Messages, { ...message, ...edit, editedAt });
  if (!isSilent) await announceUpdate(tx, message, edited, fields);
  return edited;
}

/** Ends a shared place that moves, if its time has come. Emits message.updated. */
export async function endMove(tx: UnitOfWork, id: number): Promise<void> {
  const message = await findMessage(tx, id);
  const endsAt = message && movesUntil(message);
  if (!endsAt || endsAt > tx.now) return;
  const { location, ...data } = message.data ?? {};
  const { live_period: _, ...place } = location as Record<string, unknown>;
  const editedAt = latest(message.editedAt, tx.now) ?? tx.now;
  await editMessage(tx, message, { body: message.body, data: { ...data, location: place }, editedAt });
}

const typedKeys = <Value extends object>(value: Value) => Object.keys(value) as (keyof Value & string)[];

/** Tells of what has changed in a message. Emits message.updated. */
export async function announceUpdate(
  tx: UnitOfWork,
  before: StoredMessage,
  message: StoredMessage,
  fields: readonly (keyof StoredMessage & string)[],
): Promise<void> {
  const contactId = await contactNow(tx, message.contactId);
  const { changes } = changesOf(shown(before), shown(message), fields);
  tx.emit({
    kind: 'message.updated',
    subject: subjectOf(contactId, message),
    data: { message_id: String(message.id), ...conversationOf(message, contactId), changes },
  });
}

const shown = ({ attachments, ...message }: StoredMessage) => ({
  ...message,
  attachments: attachments.map(({ key: _, atPlatform: __, ...attachment }) => attachment),
});

/** A unit of work mostly has room for fewer. */
const maxReadTogether = 75;

/**
 * The person has read what the account wrote, up to what the platform calls `messageId`; the oldest first, while the unit of work
 * has room. Returns whether some are left: it is then called again in a unit of work of its own. Emits message.read.
 */
export async function markOutboundRead(
  tx: UnitOfWork,
  { accountId, userId, messageId }: PlatformPlace,
  readAt: string = tx.now,
): Promise<boolean> {
  const unread: Key[] = [];
  const { below } = bounds(messageId);
  for await (const entry of flatten(entries(tx, Messages, { platform: { accountId, userId } }, { below }))) {
    if (entry['direction'] !== 'outbound') continue;
    // Older messages were marked as read with it.
    if (!entry['isUnread']) break;
    unread.push(entry.of);
  }
  const read: StoredMessage[] = [];
  for (const message of await messagesAt(tx, unread.reverse().slice(0, maxReadTogether))) {
    if (!tx.hasRoom) break;
    read.push(tx.update(Messages, { ...message, readAt }));
  }
  await announceRead(tx, read, readAt);
  return read.length < unread.length;
}

/** The conversation with a contact, newest first. Raises 404. */
export async function listMessages(
  tx: UnitOfWork,
  contactId: number,
  query: v.InferOutput<typeof MessageQuery>,
): Promise<Page<StoredMessage>> {
  const [page] = await Promise.all([
    listPage(tx, Messages, listingOf({ ...query, contactId })),
    tx.get(Contacts, { id: contactId }),
  ]);
  return page;
}

/** The messages of all contacts, or of one, newest first. */
export async function listAllMessages(
  tx: UnitOfWork,
  query: v.InferOutput<typeof WorkspaceMessageQuery>,
): Promise<Page<StoredMessage & { contactId: number }>> {
  const page = await listPage(tx, Messages, listingOf(query));
  return { ...page, items: page.items.filter(isOfContact) };
}

const isOfContact = (message: StoredMessage): message is StoredMessage & { contactId: number } =>
  message.contactId !== null;

function listingOf(query: v.InferOutput<typeof WorkspaceMessageQuery>): Listing<typeof Messages> {
  const listing = listingFrom(Messages, query, {
    contactId: (contactId) => ({ within: { contactId } }),
    accountId: (accountId) => ({ matches: (message) => message.accountId === accountId }),
    channel: (channel) => ({ matches: (message) => message.channel === channel }),
    direction: (direction) => ({ matches: (message) => message.direction === direction }),
    since: (time) => ({ matches: (message) => happenedAt(message) >= time }),
    until: (time) => ({ matches: (message) => happenedAt(message) <= time }),
  });
  const isOfAll = query.contactId === undefined;
  return {
    ...listing,
    shownBytes: ({ body }) => Buffer.byteLength(body),
    ...(isOfAll && { where: { all: true }, contains: { all: messageTexts(query) } }),
  };
}

/** Returns the user id under which the account knows the contact. */
function userIdOf({ identities }: StoredContact, { channel, atPlatform }: StoredMessage): string | null {
  const userId = atPlatform?.userId ?? identities[channel];
  return userId === undefined ? null : String(userId);
}

const findContact = async (tx: UnitOfWork, id: number | null) => (id === null ? undefined : tx.get(Contacts, { id }));

/** The bounds of the entries of one platform id; the lower ones are below all of them. */
function bounds(messageId: string) {
  const order = platformOrder(messageId);
  return { above: `${order}#`, below: `${order}$` };
}

/** Returns the messages that entries name. A merge may just have moved one, which is a conflict. */
async function messagesAt(tx: UnitOfWork, keys: readonly Key[]): Promise<StoredMessage[]> {
  const messages = await tx.findAllByKey(Messages, keys);
  if (messages.length < keys.length) throw new WriteConflict('a message has moved');
  return messages;
}

/**
 * Whose a message is by now, also when that contact is gone: while there are messages of it, its erasure has yet to look for the
 * events that name it.
 */
const contactNow = async (tx: UnitOfWork, contactId: number | null): Promise<number | null> =>
  contactId === null ? null : ((await presentId(tx, contactId)) ?? mergedInto(tx, contactId));

const subjectOf = (contactId: number | null, { id }: StoredMessage) =>
  contactId === null ? `message/${id}` : `contact/${contactId}`;

const conversationOf = ({ channel, accountId }: StoredMessage, contactId: number | null) => ({
  contact_id: idText(contactId),
  channel,
  account_id: idText(accountId),
});

/** Tells that messages were read, by one event for each conversation. Emits message.read. */
export async function announceRead(tx: UnitOfWork, messages: readonly StoredMessage[], readAt: string): Promise<void> {
  const stored = [...new Set(messages.map(({ contactId }) => contactId))];
  const now = new Map(await Promise.all(stored.map(async (id) => [id, await contactNow(tx, id)] as const)));
  const conversations = Map.groupBy(messages, (one) => `${now.get(one.contactId)}/${one.channel}/${one.accountId}`);
  for (const [first, ...others] of conversations.values()) {
    if (first === undefined) continue;
    const contactId = now.get(first.contactId) ?? null;
    tx.emit({
      kind: 'message.read',
      subject: subjectOf(contactId, first),
      data: {
        message_ids: [first, ...others].map(({ id }) => String(id)),
        ...conversationOf(first, contactId),
        read_at: readAt,
      },
    });
  }
}

async function announce(tx: UnitOfWork, message: StoredMessage): Promise<void> {
  const contact = message.contactId === null ? undefined : await resolveMerged(tx, message.contactId);
  const contactId = await contactNow(tx, message.contactId);
  const told = contact && {
    ...contact,
    lastMessageAt: latest(contact.lastMessageAt, message.sentAt),
    hasUnreadMessages: contact.hasUnreadMessages || message.direction === 'inbound',
    reach: unite(await reachOf(tx, contact), reachBy(message, userIdOf(contact, message))),
  };
  // Its row is written in any case: marking messages as read must also conflict with an incoming one.
  await followMessage(tx, message, told);
  tx.emit({
    kind: 'message.created',
    subject: subjectOf(contactId, message),
    data: {
      contact_id: idText(contactId),
      channel: message.channel,
      direction: message.direction,
      body: message.body,
      thread_id: message.threadId,
      message_id: String(message.id),
      account_id: idText(message.accountId),
      job_id: idText(message.jobId),
    },
  });
}
