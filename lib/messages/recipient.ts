import type { Target } from '#lib/channels/channel.ts';
import { Contacts, type StoredContact, sameAs } from '#lib/entities/contact.ts';
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
export function recipientOf(contact: StoredContact, channel: 'telegram' | 'twitter'): Recipient | undefined {
  const { telegramUserId, twitterUserId, username } = contact;
  const userId = channel === 'telegram' ? telegramUserId : twitterUserId;
  if (contact.platform !== channel || (userId === null && username === null)) return undefined;
  return {
    recipient: username === null ? (contact.name ?? String(userId)) : `@${username}`,
    target: {
      ...(channel === 'telegram' && telegramUserId !== null && { telegramUserId }),
      ...(channel === 'twitter' && twitterUserId !== null && { twitterUserId }),
      ...(username !== null && { username }),
    },
  };
}

/** The contact that a recipient or sender is: by its id at the platform, else by its username there; the oldest of several. */
export async function findContact(
  tx: UnitOfWork,
  channel: 'telegram' | 'twitter',
  { telegramUserId, twitterUserId, username }: Target,
): Promise<StoredContact | undefined> {
  const userId = channel === 'telegram' ? telegramUserId : twitterUserId;
  const [byId, byName] = await Promise.all([
    userId === undefined ? undefined : firstIndexed(tx, Contacts, { [channel]: userId } as By<typeof Contacts>),
    username === undefined
      ? undefined
      : firstIndexed(tx, Contacts, sameAs('username', username), ({ platform }) => platform === channel),
  ]);
  return byId ?? byName;
}
