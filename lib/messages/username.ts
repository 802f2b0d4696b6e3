import { changeContact } from '#lib/contacts/change.ts';
import { messaging, type Platform } from '#lib/core/channel.ts';
import { senderName, type Target, targetOf, userIdOn } from '#lib/core/channel-target.ts';
import { Contacts, normalize, type StoredContact } from '#lib/entities/contact.ts';
import { Identities, type Identity } from '#lib/entities/identity.ts';
import { sameHandle } from '#lib/entities/references/namesakes.ts';
import { findHolder, findIdentity } from '#lib/messages/identity.ts';
import { firstIndexed } from '#lib/table/entries.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** Limit for the former owners who lose a username at once, because each contact is written. */
const maxLosers = 5;

/**
 * Gives the username that a platform reports for a user id to their contact, and takes it from earlier owners, so that messages reach only
 * them. Null means no username, undefined not reported. Emits contact.updated for each contact.
 */
export async function noteUsername(
  tx: UnitOfWork,
  channel: Platform,
  { username, ...ids }: Omit<Target, 'username'> & { username?: string | null | undefined },
  at: string,
): Promise<void> {
  const userId = userIdOn(channel, ids);
  if (userId === undefined || username === undefined || !messaging[channel].hasUsernames) return;
  const { identity, contact } = await findSender(tx, channel, userId);
  // Late reports change nothing.
  if (!identity || !contact || (identity.told && identity.told.at > at)) return;
  const has = username !== null && (await claim(tx, channel, { username, identity, contact }, at)) ? username : null;
  tell(tx, identity, has, at);
  if (identity.told && isSame(identity.told.username, has)) return;
  // The contact may be several people, once they were merged.
  if (contact.identities[channel] === userId) await rename(tx, channel, contact, has);
  if (has !== null) await takeFromOthers(tx, channel, { userId, username: has }, contact.id, at);
}

const findSender = (tx: UnitOfWork, channel: Platform, userId: UserId) =>
  findIdentity(tx, `${senderName(channel, targetOf(channel, userId))}`);

type UserId = NonNullable<ReturnType<typeof userIdOn>>;

/**
 * Whether a username is theirs who has shown it at a time: it is not when another one has shown it later. All who show one write its
 * row, or that of whom they leave it to: of two at once the second looks again.
 */
async function claim(
  tx: UnitOfWork,
  channel: Platform,
  { username, identity, contact }: { username: string; identity: Identity; contact: StoredContact },
  at: string,
): Promise<boolean> {
  const sender = `${senderName(channel, { username })}`;
  const row = await tx.find(Identities, { sender });
  const holder = row && (await findHolder(tx, row));
  if (holder?.sender === identity.sender) return true;
  const since = holder?.told?.at ?? row?.held?.at;
  if (since !== undefined && since > at) return false;
  if (holder) tell(tx, holder, null, at);
  const taken = { sender, contactId: contact.id, held: { by: identity.sender, at } };
  tx.requireExists(Contacts, { id: contact.id });
  if (row) tx.update(Identities, { ...row, ...taken });
  else tx.create(Identities, { id: await tx.nextId(Identities), ...taken });
  return true;
}

const tell = (tx: UnitOfWork, identity: Identity, username: string | null, at: string) =>
  tx.update(Identities, { ...identity, told: { username, at } });

const isSame = (one: string | null, other: string | null) =>
  one === other || (one !== null && other !== null && normalize.username(one) === normalize.username(other));

async function takeFromOthers(
  tx: UnitOfWork,
  channel: Platform,
  { userId, username }: { userId: UserId; username: string },
  contactId: number,
  at: string,
): Promise<void> {
  const by = sameHandle(channel, username);
  const seen = new Set([contactId]);
  const isOther = (contact: StoredContact) => {
    const known = contact.identities[channel];
    return !seen.has(contact.id) && known !== undefined && known !== userId;
  };
  while (seen.size <= maxLosers) {
    const other = await firstIndexed(tx, Contacts, by, isOther, 'all');
    if (other === undefined) return;
    seen.add(other.id);
    const { identity } = await findSender(tx, channel, other.identities[channel] as UserId);
    // They keep a username that was reported later.
    if (identity?.told && identity.told.at > at) continue;
    if (identity) tell(tx, identity, null, at);
    await rename(tx, channel, other, null);
  }
}

/** A contact that loses its only name is called by the id. */
async function rename(tx: UnitOfWork, channel: Platform, contact: StoredContact, username: string | null) {
  const { id, name, phone, platform } = contact;
  if (platform !== channel || isSame(contact.username, username)) return;
  const isNameless = username === null && !name && !phone;
  await changeContact(tx, id, { username, ...(isNameless && { name: String(contact.identities[channel]) }) });
}
