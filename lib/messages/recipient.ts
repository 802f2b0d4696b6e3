import { messaging, type Platform } from '#lib/core/channel.ts';
import { senderName, type Target, targetOf, userIdOn } from '#lib/core/channel-target.ts';
import { Contacts, type StoredContact } from '#lib/entities/contact.ts';
import { resolveMerged } from '#lib/entities/references/merged.ts';
import { sameHandle } from '#lib/entities/references/namesakes.ts';
import { findIdentity } from '#lib/messages/identity.ts';
import type { By } from '#lib/table/entity.ts';
import { firstIndexed } from '#lib/table/entries.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** A recipient as a job keeps it. */
export interface Recipient {
  /** Shown to humans. */
  recipient: string;
  target: Target;
}

/** How a contact is reached on its platform; undefined when it is not. */
export function recipientOf(contact: StoredContact, channel: Platform): Recipient | undefined {
  const username = messaging[channel].hasUsernames ? contact.username : null;
  const userId = contact.identities[channel];
  if (contact.platform !== channel || (userId === undefined && username === null)) return undefined;
  return {
    recipient: username === null ? (contact.name ?? String(userId)) : `@${username}`,
    target: targetOf(channel, userId, username),
  };
}

/** The contact that a job writes to, or will turn out to. */
export const contactOf = (
  tx: UnitOfWork,
  channel: Platform,
  { contactId, target }: { contactId: number | null; target: Target },
): Promise<StoredContact | undefined> =>
  contactId === null ? findContact(tx, channel, target) : resolveMerged(tx, contactId);

/** The contact that a recipient or sender is: by its id at the platform, else by its username there. */
export async function findContact(
  tx: UnitOfWork,
  channel: Platform,
  target: Target,
): Promise<StoredContact | undefined> {
  const { username } = target;
  const userId = userIdOn(channel, target);
  const [byId, byName] = await Promise.all([
    userId === undefined ? undefined : firstContact(tx, { identity: { channel, userId } }),
    username === undefined ? undefined : findByName(tx, channel, username),
  ]);
  return byId ?? byName;
}

/** Whose the platform told the username to be, else the oldest contact that has it. */
async function findByName(tx: UnitOfWork, channel: Platform, username: string): Promise<StoredContact | undefined> {
  const { identity, contact } = await findIdentity(tx, `${senderName(channel, { username })}`);
  // One that was merged with somebody else is written to by another id.
  const isHolder = contact && identity?.held?.by === `${channel}/${contact.identities[channel]}`;
  if (isHolder) return contact;
  return firstContact(tx, sameHandle(channel, username));
}

/** Returns an archived contact only where no other one is known by this. */
const firstContact = async (tx: UnitOfWork, by: By<typeof Contacts>): Promise<StoredContact | undefined> =>
  (await firstIndexed(tx, Contacts, by)) ?? firstIndexed(tx, Contacts, by, undefined, 'true');
