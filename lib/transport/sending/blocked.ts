import type { Platform } from '#lib/core/channel.ts';
import { userIdOn } from '#lib/core/channel-target.ts';
import type { StoredAccount } from '#lib/entities/account.ts';
import { Jobs, type StoredJob } from '#lib/entities/job.ts';
import { blockedError, isBlocked } from '#lib/messages/block.ts';
import { isWaiting } from '#lib/messages/jobs/store.ts';
import { stepThrough } from '#lib/table/list.ts';
import type { SagaKind } from '#lib/table/saga.ts';
import { startSaga } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { fail } from './end.ts';

type State = { channel: Platform; accountId: number; contactId: number; userId: string; after: number | null };

/**
 * Fails what waits for somebody who has blocked the account, newest first, but for what is being sent. The contact may be several
 * people, once they were merged. Each job emits job.completed.
 */
export const failBlocked: SagaKind<State, 'block'> = {
  name: 'block',
  async step(tx, { after, ...of }) {
    const isTheirs = ({ target }: StoredJob) => String(userIdOn(of.channel, target) ?? of.userId) === of.userId;
    const where = { contact: of.contactId, account: of.accountId, status: 'queued' } as const;
    const left = await stepThrough(tx, Jobs, { after, limit: 25, where }, async (job) => {
      if (isWaiting(tx, job) && isTheirs(job)) await fail(tx, job, blockedError);
    });
    return left && { ...of, ...left };
  },
};

/** Somebody, whom the contact is, has blocked the account. */
export const failQueuedFor = (tx: UnitOfWork, of: Omit<State, 'after'>) =>
  startSaga(tx, failBlocked, { ...of, after: null });

/** Whether a recipient has blocked an account; nobody knows of one who is known by name alone. */
export async function isBlockedBy(
  tx: UnitOfWork,
  { channel, id: accountId }: Pick<StoredAccount, 'channel' | 'id'>,
  { target }: Pick<StoredJob, 'target'>,
): Promise<boolean> {
  const userId = userIdOn(channel, target);
  return userId !== undefined && isBlocked(tx, { accountId, userId: String(userId) });
}

/** Fails a new job at once whose recipient has blocked its account. */
export const unlessBlocked = async (tx: UnitOfWork, account: StoredAccount, job: StoredJob): Promise<StoredJob> =>
  (await isBlockedBy(tx, account, job)) ? fail(tx, job, blockedError) : job;
