import type { Platform } from '#lib/core/channel.ts';
import { senderName, type Target, userIdOn } from '#lib/core/channel-target.ts';
import type { StoredAccount } from '#lib/entities/account.ts';
import { Contacts, type StoredContact } from '#lib/entities/contact.ts';
import { Jobs, type StoredJob } from '#lib/entities/job.ts';
import { blockedError, hasWrittenAfter, isBlocked, type News, noteBlock } from '#lib/messages/block.ts';
import { findIdentity } from '#lib/messages/identity.ts';
import { isWaiting } from '#lib/messages/jobs/store.ts';
import { findContact } from '#lib/messages/recipient.ts';
import { stepThrough } from '#lib/table/list.ts';
import type { SagaKind } from '#lib/table/saga.ts';
import { startSaga } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { fail } from './end.ts';

/** `of`: the jobs to a contact, or those to somebody who was named by an id or a username. */
type State = {
  channel: Platform;
  accountId: number;
  of: { contact: number } | { stated: string };
  userId: string;
  error: string;
  after: number | null;
};

/**
 * Fails what waits for somebody who has blocked the account, newest first, but for what is being sent. The contact may be several
 * people, once they were merged. Each job emits job.completed.
 */
export const failBlocked: SagaKind<State, 'block'> = {
  name: 'block',
  async step(tx, { after, ...state }) {
    const { channel, accountId, of, userId, error } = state;
    const isTheirs = ({ target }: StoredJob) => String(userIdOn(channel, target) ?? userId) === userId;
    const where = { ...of, account: accountId, status: 'queued' } as const;
    const left = await stepThrough(tx, Jobs, { after, limit: 25, where }, async (job) => {
      if (isWaiting(tx, job) && isTheirs(job)) await fail(tx, job, error);
    });
    return left && { ...state, ...left };
  },
};

/** Somebody at a platform, by the id there and, where it is known, the username. */
export interface Blocker {
  channel: Platform;
  accountId: number;
  person: Target;
}

const userIdOf = ({ channel, person }: Blocker) => String(userIdOn(channel, person));

/** The contact that somebody is. */
async function contactOf(tx: UnitOfWork, { channel, person }: Blocker): Promise<StoredContact | undefined> {
  const sender = senderName(channel, person);
  return sender === undefined ? undefined : (await findIdentity(tx, sender)).contact;
}

/** Fails what waits for somebody on an account, however each job names them. */
export async function failQueuedFor(tx: UnitOfWork, blocker: Blocker, error: string = blockedError): Promise<void> {
  const { channel, accountId, person } = blocker;
  const contact = await contactOf(tx, blocker);
  // A message that is stored at the same time writes its contact: the second of the two looks again.
  if (contact) tx.update(Contacts, contact);
  const ownName = contact?.platform === channel ? contact.username : null;
  const usernames = [person.username, ownName].flatMap((username) => (username ? { username } : []));
  const stated = new Set([person, ...usernames].flatMap((target) => senderName(channel, target) ?? []));
  const all = [...(contact ? [{ contact: contact.id }] : []), ...[...stated].map((one) => ({ stated: one }))];
  const state = { channel, accountId, userId: userIdOf(blocker), error, after: null };
  for (const of of all) startSaga(tx, failBlocked, { ...state, of });
}

/**
 * Somebody has blocked the account, or no longer does: what waits for them fails, unless they have written since. Emits job.completed.
 */
export async function followBlock(tx: UnitOfWork, blocker: Blocker, blocks: boolean, news: News): Promise<void> {
  const peer = { accountId: blocker.accountId, userId: userIdOf(blocker) };
  const contact = await contactOf(tx, blocker);
  if (blocks && contact && (await hasWrittenAfter(tx, contact, peer, news.at))) return;
  if ((await noteBlock(tx, peer, blocks, news)) && blocks) await failQueuedFor(tx, blocker);
}

/** Whether a recipient has blocked an account; nobody knows of a name that is no contact's. */
export async function isBlockedBy(
  tx: UnitOfWork,
  { channel, id: accountId }: Pick<StoredAccount, 'channel' | 'id'>,
  { target }: Pick<StoredJob, 'target'>,
): Promise<boolean> {
  const userId = userIdOn(channel, target) ?? (await findContact(tx, channel, target))?.identities[channel];
  return userId !== undefined && isBlocked(tx, { accountId, userId: String(userId) });
}

/** Fails a new job at once whose recipient has blocked its account. */
export const unlessBlocked = async (tx: UnitOfWork, account: StoredAccount, job: StoredJob): Promise<StoredJob> =>
  (await isBlockedBy(tx, account, job)) ? fail(tx, job, blockedError) : job;
