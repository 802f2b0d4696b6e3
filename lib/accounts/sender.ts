import { setTimeout as sleep } from 'node:timers/promises';
import type * as v from 'valibot';
import type { Platform } from '#lib/channels/channel.ts';
import { secondMs, timestamp } from '#lib/clock.ts';
import { type Pace, Senders } from '#lib/entities/sender.ts';
import { leases } from '#lib/table/lease.ts';
import { parseStored } from '#lib/table/stored.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { updateOf } from '#lib/table/update.ts';
import { operator, system, type Tenant } from '#lib/tenant.ts';

const changeMs = 10 * secondMs;
/** Longer than any sender holds an account. */
const giveUpMs = 60 * secondMs;
const pauseMs = 500;

type Sender = v.InferOutput<(typeof Senders)['schema']>;

const senderLeases = leases({ owner: 'owner', until: 'leaseUntilMs', at: (epochMs) => epochMs });

export interface Lease {
  tenant: Tenant;
  accountId: number;
  owner: string;
  untilMs: number;
  pace: Pace;
}

export interface AccountPlace {
  tenant: Tenant;
  channel: Platform;
  accountId: number;
}

/**
 * Makes this process the account's only sender for so long; one conditional write. Undefined when another one is: should that
 * one die, the queue is looked at when its lease ends.
 */
export async function acquire(place: AccountPlace, leaseMs: number): Promise<Lease | undefined> {
  const { tenant, channel, accountId } = place;
  const nowMs = Date.now();
  const { item, refused } = await senderLeases.acquire(nowMs + leaseMs, (holder) =>
    updateOf(
      tenant,
      Senders,
      { id: accountId },
      { set: { id: accountId, channel, ...holder }, if: senderLeases.whereFree(nowMs) },
    ),
  );
  if (item) return leased(place, parseStored(Senders, item));
  const held = refused && parseStored(Senders, refused);
  if (held?.resumeAt === null) await resumeAfter(place, held);
  return undefined;
}

const leased = ({ tenant, accountId }: AccountPlace, { owner, leaseUntilMs, pace }: Sender): Lease => ({
  tenant,
  accountId,
  owner,
  untilMs: leaseUntilMs,
  pace,
});

const resumeAfter = ({ tenant, accountId }: AccountPlace, held: Sender) =>
  transact(tenant, system, async (tx) => {
    const sender = await tx.find(Senders, { id: accountId });
    if (senderLeases.isHeldBy(sender, held) && sender.leaseUntilMs === held.leaseUntilMs && sender.resumeAt === null)
      tx.update(Senders, { ...sender, resumeAt: timestamp(new Date(held.leaseUntilMs + 1000)) });
  });

/** Gives the account free, with the pace kept and the time at which its queue must be looked at again. */
export const release = (lease: Lease, resumeAt: string | null): Promise<void> =>
  transact(lease.tenant, system, async (tx) => {
    const sender = await tx.find(Senders, { id: lease.accountId });
    if (!senderLeases.isHeldBy(sender, lease)) return;
    tx.update(Senders, { ...sender, leaseUntilMs: 0, pace: lease.pace, resumeAt });
  });

/**
 * Does what an operator wants while nobody sends on the account, then lets its queue go on at once. Throws when the account is in use
 * for a minute.
 */
export async function betweenSenders<Result>(
  place: AccountPlace,
  work: (tx: UnitOfWork) => Promise<Result>,
): Promise<Result> {
  const deadline = Date.now() + giveUpMs;
  let lease: Lease | undefined;
  while (!lease) {
    lease = await acquire(place, changeMs);
    if (!lease && Date.now() > deadline) throw new Error('the account is in use all the while: try again');
    if (!lease) await sleep(pauseMs);
  }
  try {
    return await transact(place.tenant, operator, work);
  } finally {
    await release(lease, timestamp());
  }
}
