import * as v from 'valibot';
import type { StoredContact } from '#lib/contacts/contact.ts';
import { changeRowsOf } from '#lib/contacts/follow.ts';
import type { Follower } from '#lib/contacts/follower.ts';
import { findSurvivor } from '#lib/contacts/survivor.ts';
import type { Target } from '#lib/jobs/job.ts';
import { entity } from '#lib/table/entity.ts';
import type { Transaction } from '#lib/table/transaction.ts';

/** Who has written: one row per sender, so that two first messages at once make one contact, and a merged one is still known. */
const Identities = entity({
  name: 'identity',
  schema: v.object({ id: v.number(), sender: v.string(), contactId: v.number() }),
  sortKey: ({ sender }) => sender,
  indexes: ({ contactId }) => [{ name: `contact=${contactId}` }],
});

type Identity = v.InferOutput<(typeof Identities)['schema']>;

/** `telegram/4711`, or `telegram/@anna` when only the username is known. */
export function senderName(
  channel: 'telegram' | 'twitter',
  { telegramUserId, twitterUserId, username }: Target,
): string | undefined {
  const userId = channel === 'telegram' ? telegramUserId : twitterUserId;
  if (userId !== undefined) return `${channel}/${userId}`;
  return username === undefined ? undefined : `${channel}/@${username.toLowerCase()}`;
}

/** The row of a sender and its contact, if both are there. */
export async function findIdentity(
  tx: Transaction,
  sender: string,
): Promise<{ identity: Identity | undefined; contact: StoredContact | undefined }> {
  const identity = await tx.find(Identities, { sender });
  return { identity, contact: identity && (await findSurvivor(tx, identity.contactId)) };
}

/** From now on the sender is this contact. */
export async function keepIdentity(
  tx: Transaction,
  sender: string,
  known: Identity | undefined,
  contactId: number,
): Promise<void> {
  if (known?.contactId === contactId) return;
  if (known) tx.update(Identities, { ...known, contactId });
  else tx.create(Identities, { id: await tx.nextId(Identities), sender, contactId });
}

/** Senders of a merged contact write to the one that is kept. */
export const identityFollower: Follower = {
  move: (tx, from, to) => changeRowsOf(tx, Identities, from, (row) => ({ ...row, contactId: to.id })),
};
