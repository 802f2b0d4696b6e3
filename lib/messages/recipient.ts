import { Contacts, normalisedUsername, type StoredContact } from '#lib/contacts/contact.ts';
import type { Target } from '#lib/jobs/job.ts';
import { listIndexed } from '#lib/table/list.ts';
import type { Transaction } from '#lib/table/transaction.ts';

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
  tx: Transaction,
  channel: 'telegram' | 'twitter',
  { telegramUserId, twitterUserId, username }: Target,
): Promise<StoredContact | undefined> {
  const userId = channel === 'telegram' ? telegramUserId : twitterUserId;
  const [byId, byName] = await Promise.all([
    userId === undefined ? [] : listIndexed(tx, Contacts, `${channel}=${userId}`),
    username === undefined ? [] : listIndexed(tx, Contacts, `username=${normalisedUsername(username)}`),
  ]);
  return byId.at(-1) ?? byName.filter(({ platform }) => platform === channel).at(-1);
}
