import * as v from 'valibot';
import { changeContact } from '#lib/contacts/change.ts';
import { createContact } from '#lib/contacts/create.ts';
import { messaging, type Platform, platforms } from '#lib/core/channel.ts';
import { senderName, type Target, targetOf, userIdOn, userIds } from '#lib/core/channel-target.ts';
import { directions } from '#lib/core/choices.ts';
import { latest } from '#lib/core/clock.ts';
import { invalidField } from '#lib/core/problem.ts';
import { choice, cleaned, idInput, nullableLine, text, timeInput } from '#lib/core/schema.ts';
import { firstCharacters, oneLine, withoutControls } from '#lib/core/text.ts';
import { Contacts, contactFields, type StoredContact } from '#lib/entities/contact.ts';
import { type AtPlatform, Messages, PlatformMessageId, TextEntity } from '#lib/entities/message.ts';
import { holdersOf, type WrittenBy } from '#lib/entities/references/namesakes.ts';
import { Source } from '#lib/entities/transfer.ts';
import { getStoredAccount } from '#lib/messages/accounts/store.ts';
import { fetchLater, pendingAttachments, replaceFiles } from '#lib/messages/attachments.ts';
import { findIdentity, keepIdentity } from '#lib/messages/identity.ts';
import { findContact } from '#lib/messages/recipient.ts';
import { editMessage, findMessageAt, isLateEdit, storeMessage } from '#lib/messages/store.ts';
import { noteUsername } from '#lib/messages/username.ts';
import { contactReplied } from '#lib/sequences/reply.ts';
import { listPage } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

const maxNameCharacters = 200;
const maxBodyCharacters = 10_000;
const leftOut = (what: string) => `[Left out of this message: ${what}.]`;

/** Returns the beginning of a text that is too long. */
const beginning = (text: string) => firstCharacters(oneLine(text), maxNameCharacters);

/** Returns a text as it may be stored, with a note of omitted parts. */
function storable(body: string): string {
  const text = withoutControls(body).trim();
  if (text === '' && body.trim() !== '') return leftOut('control characters');
  if (firstCharacters(text, maxBodyCharacters) === text) return text;
  return withNote(text, 'the end of its text');
}

function withNote(text: string, what: string): string {
  const note = `\n\n${leftOut(what)}`;
  return firstCharacters(text, maxBodyCharacters - note.length) + note;
}

const ThreadId = nullableLine(maxNameCharacters);

/** Message that an account receives. Its sender is known by the id at the platform or by the username. */
export const ReceiveMessage = v.object({
  channel: choice(platforms),
  accountId: idInput(),
  from: v.object({
    ...userIds(Object.values(messaging), 'received'),
    // A username that no contact can have is dropped.
    username: v.fallback(contactFields.username, undefined),
    name: v.optional(cleaned(nullableLine(maxNameCharacters), beginning)),
  }),
  body: cleaned(text(maxBodyCharacters), storable),
  /** At the platform. */
  threadId: v.optional(v.nullable(v.string()), null),
  sentAt: v.optional(timeInput()),
  /** ID of the message at the platform, which identifies repetitions and edits. */
  platformMessageId: v.optional(PlatformMessageId),
  /** Time of an edit. */
  editedAt: v.optional(timeInput()),
});

const IncomingFiles = v.object({
  files: v.array(
    v.object({
      fileName: v.string(),
      contentType: v.string(),
      sizeBytes: v.number(),
      ref: v.nullable(v.string()),
      atPlatform: v.optional(v.string()),
    }),
  ),
  /** Larger ones are not fetched. */
  maxBytes: v.number(),
  source: Source,
});

/** The same of what may have no words, a picture, and of what the account's person has written to `from` elsewhere. */
export const IncomingMessage = v.object({
  ...ReceiveMessage.entries,
  body: cleaned(v.string(), storable),
  direction: v.optional(v.picklist(directions), 'inbound'),
  attachments: v.optional(IncomingFiles),
  /** Where they are in the body as it was written. */
  entities: v.optional(v.array(TextEntity), []),
  /** ID at the platform of the message that this one answers. */
  repliesTo: v.optional(PlatformMessageId),
  forwardedFrom: v.optional(v.nullable(cleaned(v.string(), beginning)), null),
  data: v.optional(Messages.schema.entries.data),
  /** The sender's own number. */
  ownPhone: v.optional(v.string()),
  /** `edit`: of what was written before, also where that is not here; `update`: an edit that nobody is told of. */
  news: v.optional(v.picklist(['message', 'edit', 'update']), 'message'),
  /** Nobody answers with it. */
  isAnswer: v.optional(v.boolean(), true),
});

type Received = v.InferOutput<typeof ReceiveMessage> & Partial<v.InferOutput<typeof IncomingMessage>>;

/**
 * Stores an inbound message, or one that the account's person has written elsewhere, or an edit of one. The first one of a stranger
 * creates the contact; an edit of what is not there is a message; what is there already stays as it is. Emits message.created or
 * message.updated, and contact.created for a stranger. Its files are fetched later (lib/transport/receiving/attachments.ts). Raises 404 for an unknown account, 400 for a nameless sender.
 */
export async function receiveMessage(tx: UnitOfWork, received: Received) {
  const { channel, accountId, from, body, threadId, sentAt, editedAt, direction = 'inbound' } = received;
  const { attachments: incoming, entities = [], data = null, news = 'message' } = received;
  const target = targetOf(channel, userIdOn(channel, from), from.username);
  const sender = senderName(channel, target);
  if (sender === undefined) throw invalidField('from', 'required', `from must have a ${channel} user id or a username`);
  const atPlatform = placeOf(received, target);
  const [{ identity, contact: whoWrote }] = await Promise.all([
    findIdentity(tx, sender),
    getStoredAccount(tx, accountId, channel),
  ]);
  const known = whoWrote ?? (await findKnown(tx, channel, target, accountId));
  // After the contact: a repetition that is committed between the two has changed it.
  const stored = atPlatform && (await findMessageAt(tx, { accountId, ...atPlatform }));
  if (stored !== undefined && stored.contactId !== null) {
    if (editedAt !== undefined && !isLateEdit(stored, editedAt)) {
      const attachments = incoming && (await replaceFiles(tx, stored, incoming));
      const edit = { body, entities, data, ...(attachments && { attachments }) };
      await editMessage(tx, stored, { ...edit, editedAt, isSilent: news === 'update' });
      await noteUsername(tx, channel, from, editedAt);
    }
    return { contactId: stored.contactId, messageId: stored.id };
  }
  const contact = known ?? (await createStranger(tx, channel, target, from.name));
  await keepIdentity(tx, sender, identity, contact.id);
  remember(tx, contact, channel, target);
  await noteUsername(tx, channel, from, editedAt ?? sentAt ?? tx.now);
  const thread = v.safeParse(ThreadId, threadId);
  const message = await storeMessage(tx, {
    contactId: contact.id,
    channel,
    direction,
    status: direction === 'inbound' ? 'received' : 'sent',
    // The beginning of an id is the id of something else.
    body: thread.success ? body : withNote(body, 'the id of its thread'),
    threadId: thread.success ? thread.output : null,
    accountId,
    sentAt: sentAt ?? tx.now,
    editedAt: editedAt ?? null,
    atPlatform: atPlatform ?? null,
    ...{ entities, data, forwardedFrom: received.forwardedFrom ?? null },
    replyToMessageId: await answeredBy(tx, received, atPlatform),
    ...(incoming && { attachments: pendingAttachments(incoming.files, incoming.maxBytes) }),
  });
  if (incoming) {
    const refs = incoming.files.map(({ ref }) => ref);
    fetchLater(tx, message, refs, incoming);
  }
  if (received.ownPhone !== undefined) await fillPhone(tx, contact.id, received.ownPhone);
  const isAnswer = direction === 'inbound' && news === 'message' && (received.isAnswer ?? true);
  if (isAnswer) await contactReplied(tx, contact.id, writtenBy(channel, target, contact));
  return { contactId: contact.id, messageId: message.id };
}

/** Which of our messages one answers; null where that is not here. */
async function answeredBy(tx: UnitOfWork, { accountId, repliesTo }: Received, at: AtPlatform | undefined) {
  if (repliesTo === undefined || at === undefined) return null;
  return (await findMessageAt(tx, { accountId, userId: at.userId, messageId: repliesTo }))?.id ?? null;
}

/** The number that somebody has shared of themselves, unless another one is known, or it is none. */
async function fillPhone(tx: UnitOfWork, id: number, shared: string): Promise<void> {
  const phone = v.safeParse(contactFields.phone, /^\d/.test(shared) ? `+${shared}` : shared);
  const contact = await tx.get(Contacts, { id });
  if (contact.phone === null && phone.success && phone.output) await changeContact(tx, id, { phone: phone.output });
}

/** Somebody without an id is known there by the username. */
function placeOf({ channel, platformMessageId }: Received, target: Target): AtPlatform | undefined {
  if (platformMessageId === undefined) return undefined;
  return { userId: String(userIdOn(channel, target) ?? `@${target.username}`), messageId: platformMessageId };
}

/** Limit for the contacts with a username that are compared, the newest first. */
const maxNamesakes = 25;

/**
 * By the id, else by the username: of several who have it whom the account has written to last, else the oldest. It may have passed to
 * another person: a contact with another id is not the sender.
 */
async function findKnown(tx: UnitOfWork, channel: Platform, target: Target, accountId: number) {
  const found = await findContact(tx, channel, target);
  const { username } = target;
  const userId = userIdOn(channel, target);
  const known = found?.identities[channel];
  if (!found || username === undefined || (known !== undefined && (userId ?? known) === known)) return found;
  const holders = holdersOf({ platform: channel, username, userId });
  const { items } = await listPage(tx, Contacts, { ...holders, limit: maxNamesakes });
  const writtenAt = ({ reach = [] }: StoredContact) =>
    reach.reduce<string | null>((at, one) => (one.accountId === accountId ? latest(at, one.lastOutboundAt) : at), null);
  const [last] = items
    .filter((contact) => writtenAt(contact) !== null)
    .sort((a, b) => (`${writtenAt(a)}` < `${writtenAt(b)}` ? 1 : -1));
  return last ?? (known === undefined ? found : undefined);
}

/** Returns the username of the sender, or else of its contact. Other contacts may have it too. */
function writtenBy(platform: Platform, target: Target, contact: StoredContact): WrittenBy | undefined {
  const username = target.username ?? (contact.platform === platform ? contact.username : null);
  return username === null ? undefined : { platform, username, userId: userIdOn(platform, target) };
}

async function createStranger(
  tx: UnitOfWork,
  platform: Platform,
  target: Target,
  shownName: string | null | undefined,
): Promise<StoredContact> {
  const { username = null } = target;
  const name = shownName ?? (username === null ? String(userIdOn(platform, target)) : null);
  const { id: contactId } = await createContact(tx, { platform, name, username }, { isFromStranger: true });
  return tx.get(Contacts, { id: contactId });
}

/** A bot needs the id of a person it answers. */
function remember(tx: UnitOfWork, contact: StoredContact, channel: Platform, target: Target): void {
  const userId = userIdOn(channel, target);
  const { identities } = contact;
  if (userId !== undefined && identities[channel] === undefined)
    tx.update(Contacts, { ...contact, identities: { ...identities, [channel]: userId } });
}
