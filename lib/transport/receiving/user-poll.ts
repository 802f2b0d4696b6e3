import type { Descriptors, Platform } from '#lib/core/channel.ts';
import type { Descriptor } from '#lib/core/channel-descriptor.ts';
import { now, secondMs, shifted, timestamp } from '#lib/core/clock.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { userPollTimeoutSeconds } from '#lib/core/timeouts.ts';
import { Accounts } from '#lib/entities/account.ts';
import { Inbounds } from '#lib/entities/inbound.ts';
import { type AccountLock, lockAccount } from '#lib/messages/accounts/sender.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import type { Due } from './due-account.ts';
import { userPollers } from './user-pollers.ts';

/** How long whoever uses the account is waited for: who sends gives it free between any two batches, who fetches files after a turn. */
const giveUpMs = 20 * secondMs;
/** Time for fetching updates, which leaves time to store the last of them. */
const budgetMs = (userPollTimeoutSeconds - 35) * secondMs;
/** Outlives every process that holds it. */
const leaseMs = (userPollTimeoutSeconds + 5) * secondMs;
/** When somebody had the account all the time. */
const busyMs = 5 * secondMs;

/** Asks a platform for what has happened in an account and stores it, piece by piece until the deadline or until a sender wants it. */
type Ask = (tenant: Tenant, due: Due, deadlineMs: number, isWanted: AccountLock['isContended']) => Promise<void>;

/** The channels on which persons have accounts that are asked. */
type Polled<One extends Descriptor = Descriptors> = One extends {
  kinds: { user: { inbound: readonly (infer Mode)[] } };
}
  ? 'polling' extends Mode
    ? One['name']
    : never
  : never;

const askOf: Partial<Record<Platform, () => Promise<Ask>>> = userPollers satisfies Record<Polled, () => Promise<Ask>>;

/**
 * Asks what has happened in the account of a person and stores it, while nobody else uses the account. What is known moves only after
 * what was told is stored. Needs the key.
 */
export async function pollUser(tenant: Tenant, accountId: number): Promise<void> {
  const deadlineMs = now() + budgetMs;
  const seen = await dueAccount(tenant, accountId);
  if (seen === undefined) return;
  const lock = await lockAccount({ tenant, channel: seen.account.channel, accountId }, leaseMs, giveUpMs);
  if (!lock) return putOff(tenant, accountId, busyMs);
  try {
    const due = await dueAccount(tenant, accountId);
    if (due) {
      const ask = await askOf[due.account.channel]?.();
      await ask?.(tenant, due, deadlineMs, lock.isContended);
    }
  } finally {
    await lock.release();
  }
}

/** The account, if it is to be asked now. */
async function dueAccount(tenant: Tenant, id: number): Promise<Due | undefined> {
  const tx = new UnitOfWork(tenant, system);
  const [account, inbound] = await Promise.all([tx.find(Accounts, { id }), tx.find(Inbounds, { id })]);
  if (account?.kind !== 'user' || inbound?.mode !== 'polling') return undefined;
  if (inbound.dueAt === null || inbound.dueAt > timestamp()) return undefined;
  if (account.state === 'active') return { account, inbound };
  await putOff(tenant, id, null);
  return undefined;
}

/** `null`: until somebody connects the account again. */
const putOff = (tenant: Tenant, id: number, byMs: number | null): Promise<void> =>
  transact(tenant, system, async (tx) => {
    const [inbound, account] = [await tx.find(Inbounds, { id }), await tx.find(Accounts, { id })];
    if (!inbound?.dueAt) return;
    if (byMs !== null) tx.update(Inbounds, { ...inbound, dueAt: shifted(tx.now, byMs) });
    else if (account?.state !== 'active') tx.update(Inbounds, { ...inbound, status: 'off', dueAt: null });
  });
