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
import { system, type Tenant } from '#lib/tenant.ts';

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

const pauseMs = 300;

/** The same, after whoever has the account now; undefined when they have it for so long. */
export async function acquireSoon(
  place: AccountPlace,
  leaseMs: number,
  patienceMs: number,
): Promise<Lease | undefined> {
  const deadlineMs = Date.now() + patienceMs;
  for (;;) {
    const lease = await acquire(place, leaseMs);
    if (lease || Date.now() + pauseMs > deadlineMs) return lease;
    await sleep(pauseMs);
  }
}

/** Longer than a platform takes to end what an account is logged in with. */
const endMs = 20 * secondMs;
/** How long somebody who uses the account is waited for; then it is ended under their hands. */
const endPatienceMs = 8 * secondMs;

/** Nobody uses the account from now on until the unit of work is over, but for who cannot be waited for. */
export async function holdForEnd(
  tx: UnitOfWork,
  { id: accountId, channel }: { id: number; channel: Platform },
): Promise<void> {
  const lease = await acquireSoon({ tenant: tx.tenant, channel, accountId }, endMs, endPatienceMs);
  if (!lease) return;
  const giveFree = () => release(lease, timestamp());
  tx.afterwards(giveFree);
  tx.otherwise(giveFree);
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
      tx.update(Senders, { ...sender, resumeAt: afterLease(held) });
  });

/**
 * Gives the account free, with the pace kept and the time at which its queue must be looked at again; who has not looked at it
 * leaves that as it stands.
 */
export const release = (lease: Lease, resumeAt?: string | null): Promise<void> =>
  transact(lease.tenant, system, async (tx) => {
    const sender = await tx.find(Senders, { id: lease.accountId });
    if (!senderLeases.isHeldBy(sender, lease)) return;
    const { isChanged, ...kept } = sender;
    const lookAt = resumeAt === undefined ? kept.resumeAt : resumeAt;
    tx.update(Senders, { ...kept, leaseUntilMs: 0, pace: lease.pace, resumeAt: isChanged ? tx.now : lookAt });
  });

/** What may be sent on the account has changed: whoever sends reads it again, or is told to begin. */
export async function wakeSender(tx: UnitOfWork, accountId: number): Promise<void> {
  const sender = await tx.find(Senders, { id: accountId });
  if (!sender) return;
  if (senderLeases.isFree(sender)) tx.update(Senders, { ...sender, resumeAt: tx.now });
  else tx.update(Senders, { ...sender, isChanged: true, resumeAt: sender.resumeAt ?? afterLease(sender) });
}

/** Should the holder die, its lease ends. */
const afterLease = ({ leaseUntilMs }: Sender) => timestamp(new Date(leaseUntilMs + 1000));
