import * as v from 'valibot';
import { getStoredAccount } from '#lib/accounts/store.ts';
import { Contacts, contactFields, type StoredContact } from '#lib/contacts/contact.ts';
import { createContact } from '#lib/contacts/store.ts';
import type { Target } from '#lib/jobs/job.ts';
import { invalidField } from '#lib/problem.ts';
import { choice, id, integer, nullableText, text, timeInput } from '#lib/schema.ts';
import { contactReplied } from '#lib/sequences/reply.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { findIdentity, keepIdentity, senderName } from './identity.ts';
import { findContact } from './recipient.ts';
import { storeMessage } from './store.ts';

/** What an account receives; the sender is known by the id at the platform or by the username. */
export const ReceiveMessage = v.object({
  channel: choice(['telegram', 'twitter']),
  accountId: id(),
  from: v.object({
    telegramUserId: v.optional(integer(1, Number.MAX_SAFE_INTEGER)),
    twitterUserId: v.optional(v.pipe(v.string(), v.regex(/^\d{1,20}$/, 'must be 1 to 20 digits'))),
    username: contactFields.username,
    name: v.optional(nullableText(200)),
  }),
  body: text(10_000),
  threadId: v.optional(nullableText(200), null),
  sentAt: v.optional(timeInput()),
});

type Received = v.InferOutput<typeof ReceiveMessage>;

/**
 * Stores an inbound message. The first one of a stranger creates the contact. Emits message.created, and contact.created for a
 * stranger. Raises 404 for an unknown account, 400 for a nameless sender.
 */
export async function receiveMessage(tx: Transaction, { channel, accountId, from, body, threadId, sentAt }: Received) {
  const target = targetOf(channel, from);
  const sender = senderName(channel, target);
  if (sender === undefined) throw invalidField('from', 'required', `from must have a ${channel} user id or a username`);
  const [{ identity, contact: known }] = await Promise.all([
    findIdentity(tx, sender),
    getStoredAccount(tx, accountId, channel),
  ]);
  const contact =
    known ?? (await findKnown(tx, channel, target)) ?? (await createStranger(tx, channel, target, from.name));
  await keepIdentity(tx, sender, identity, contact.id);
  remember(tx, contact, target);
  const message = await storeMessage(tx, {
    contactId: contact.id,
    channel,
    direction: 'inbound',
    status: 'received',
    body,
    threadId,
    accountId,
    sentAt: sentAt ?? tx.now,
  });
  await contactReplied(tx, contact.id);
  return { contactId: contact.id, messageId: message.id };
}

const targetOf = (
  channel: Received['channel'],
  { telegramUserId, twitterUserId, username: name }: Received['from'],
): Target => ({
  ...(channel === 'telegram' && telegramUserId !== undefined && { telegramUserId }),
  ...(channel === 'twitter' && twitterUserId !== undefined && { twitterUserId }),
  ...(name && { username: name }),
});

/** A username may have passed to another person: a contact with another id is not the sender. */
async function findKnown(tx: Transaction, channel: Received['channel'], target: Target) {
  const found = await findContact(tx, channel, target);
  if (!found) return undefined;
  const { telegramUserId = found.telegramUserId, twitterUserId = found.twitterUserId } = target;
  const isOther =
    (found.telegramUserId !== null && found.telegramUserId !== telegramUserId) ||
    (found.twitterUserId !== null && found.twitterUserId !== twitterUserId);
  return isOther ? undefined : found;
}

async function createStranger(
  tx: Transaction,
  platform: Received['channel'],
  { telegramUserId, twitterUserId, username: name }: Target,
  shownName: string | null | undefined,
): Promise<StoredContact> {
  const { id: contactId } = await createContact(tx, {
    platform,
    name: shownName ?? (name ? null : String(telegramUserId ?? twitterUserId)),
    username: name ?? null,
  });
  return tx.get(Contacts, { id: contactId });
}

/** A bot needs the id of a person it answers. */
function remember(tx: Transaction, contact: StoredContact, { telegramUserId, twitterUserId }: Target): void {
  const isNew =
    (telegramUserId !== undefined && contact.telegramUserId === null) ||
    (twitterUserId !== undefined && contact.twitterUserId === null);
  if (!isNew) return;
  tx.update(Contacts, {
    ...contact,
    telegramUserId: contact.telegramUserId ?? telegramUserId ?? null,
    twitterUserId: contact.twitterUserId ?? twitterUserId ?? null,
  });
}
