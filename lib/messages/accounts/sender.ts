import type * as v from 'valibot';
import type { Platform } from '#lib/core/channel.ts';
import { now, secondMs, shifted, sleep, timestamp } from '#lib/core/clock.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { type Pace, Senders } from '#lib/entities/sender.ts';
import { leases } from '#lib/table/lease.ts';
import { parseStored } from '#lib/table/stored.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { type Condition, updateOf } from '#lib/table/write.ts';

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
 * Makes this process the account's only sender for so long; one conditional write. Undefined when somebody else has it: another sender
 * looks at the queue once more, and whoever uses it for something else gives way as soon as they can. Should they die, the queue is
 * looked at when their lease ends.
 */
export async function acquire(place: AccountPlace, leaseMs: number): Promise<Lease | undefined> {
  for (;;) {
    const { lease, holder } = await take(place, leaseMs, { isToSend: true });
    if (lease || !holder || (await isNoted(place, holder))) return lease;
  }
}

/** Tries to take an account in hand, to send or for something else. */
async function take(
  place: AccountPlace,
  leaseMs: number,
  { isToSend }: { isToSend: boolean },
): Promise<{ lease?: Lease; holder?: Sender | undefined }> {
  const { tenant, channel, accountId } = place;
  const nowMs = now();
  const untilMs = nowMs + leaseMs;
  const free = senderLeases.whereFree(nowMs);
  const { item, refused } = await senderLeases.acquire(untilMs, (holder) =>
    updateOf(
      tenant,
      Senders,
      { id: accountId },
      {
        set: { id: accountId, channel, ...holder, ...(isToSend && { sendersUntilMs: untilMs }) },
        if: isToSend ? free : { all: [free, whereNotReserved(nowMs)] },
      },
    ),
  );
  return item
    ? { lease: leased(place, parseStored(Senders, item)) }
    : { holder: refused && parseStored(Senders, refused) };
}

const whereNotReserved = (nowMs: number): Condition => ({
  any: [{ absent: ['sendersUntilMs'] }, { atMost: { sendersUntilMs: nowMs } }],
});

const isSending = ({ sendersUntilMs = 0, leaseUntilMs }: Sender) => sendersUntilMs >= leaseUntilMs;

/** The turn of whoever sends on an account now, another one each time; undefined when nobody does. */
export const currentOwner = (sender: Sender): string | undefined =>
  senderLeases.isFree(sender) || !isSending(sender) ? undefined : sender.owner;

/** Whether the holder of an account knows, or will find out, that a sender has found it taken: not if they have given it free. */
async function isNoted({ tenant, accountId }: AccountPlace, holder: Sender): Promise<boolean> {
  if (isSending(holder) ? holder.resumeAt !== null : holder.isChanged) return true;
  return transact(tenant, system, async (tx) => {
    const sender = await tx.find(Senders, { id: accountId });
    if (!senderLeases.isHeldBy(sender, holder) || sender.leaseUntilMs !== holder.leaseUntilMs) return isSending(holder);
    if (!isSending(sender)) {
      if (!sender.isChanged) tx.update(Senders, contended(tx, sender));
    } else if (sender.resumeAt === null) tx.update(Senders, { ...sender, resumeAt: afterLease(sender) });
    return true;
  });
}

/** Lock on an account for a use other than sending. */
export interface AccountLock {
  /** Whether a sender waits for it, or it has changed. */
  isContended(): Promise<boolean>;
  release(): Promise<void>;
}

/** Takes an account in hand for something else than sending, after whoever has it now; undefined when they have it for so long. */
export async function lockAccount(
  place: AccountPlace,
  leaseMs: number,
  giveUpMs: number,
): Promise<AccountLock | undefined> {
  const { tenant, accountId } = place;
  const lease = await soon(giveUpMs, async () => (await take(place, leaseMs, { isToSend: false })).lease);
  return (
    lease && {
      async isContended() {
        const sender = await new UnitOfWork(tenant, system).find(Senders, { id: accountId });
        return !senderLeases.isHeldBy(sender, lease) || sender.isChanged === true;
      },
      release: () => release(lease),
    }
  );
}

const pauseMs = 300;

/** Takes an account after whoever has it now; undefined when they have it for so long. */
async function soon(giveUpMs: number, taking: () => Promise<Lease | undefined>): Promise<Lease | undefined> {
  const deadlineMs = now() + giveUpMs;
  for (;;) {
    const lease = await taking();
    if (lease || now() + pauseMs > deadlineMs) return lease;
    await sleep(pauseMs);
  }
}

/** Longer than a platform takes to end what an account is logged in with. */
const endMs = 20 * secondMs;
/** How long somebody who uses the account is waited for; then it is ended under their hands. */
const endWaitMs = 8 * secondMs;

/** Nobody uses the account from now on until the unit of work is over, but for who cannot be waited for. */
export async function lockForEnd(
  tx: UnitOfWork,
  { id: accountId, channel }: { id: number; channel: Platform },
): Promise<void> {
  const lease = await soon(endWaitMs, () => acquire({ tenant: tx.tenant, channel, accountId }, endMs));
  if (!lease) return;
  const unlock = () => release(lease, timestamp());
  tx.afterwards(unlock);
  tx.otherwise(unlock);
}

const leased = ({ tenant, accountId }: AccountPlace, { owner, leaseUntilMs, pace }: Sender): Lease => ({
  tenant,
  accountId,
  owner,
  untilMs: leaseUntilMs,
  pace,
});

/** How long an account that was wanted is kept for senders: longer than a timer takes to wake one. */
const reservedMs = 10 * secondMs;

/**
 * Gives the account free, with the pace kept and the time at which its queue must be looked at again; who has not sent leaves both as
 * they stand. Where it was wanted a sender is woken, and nobody else takes it before that one.
 */
export const release = (lease: Lease, resumeAt?: string | null): Promise<void> =>
  transact(lease.tenant, system, async (tx) => {
    const sender = await tx.find(Senders, { id: lease.accountId });
    if (!senderLeases.isHeldBy(sender, lease)) return;
    const { isChanged, sendersUntilMs: _, ...kept } = sender;
    const left = resumeAt === undefined ? kept : { ...kept, pace: lease.pace, resumeAt };
    const reserved = { resumeAt: atOnce(tx, sender), sendersUntilMs: now() + reservedMs };
    tx.update(Senders, { ...left, leaseUntilMs: 0, ...(isChanged && reserved) });
  });

/** Tells the sender of an account that its queue has changed, or starts one. */
export async function wakeSender(tx: UnitOfWork, accountId: number): Promise<void> {
  const sender = await tx.find(Senders, { id: accountId });
  if (!sender) return;
  tx.update(Senders, senderLeases.isFree(sender) ? { ...sender, resumeAt: atOnce(tx, sender) } : contended(tx, sender));
}

/** Asks the owner of the lease to give way. If the owner has crashed, the lease ends. */
function contended({ now }: UnitOfWork, sender: Sender): Sender {
  const [at, endsAt] = [sender.resumeAt ?? now, afterLease(sender)];
  return { ...sender, isChanged: true, resumeAt: now < at && at < endsAt ? at : endsAt };
}

/** Returns a later second: a timer of the same second might have fired already. */
const atOnce = ({ now }: UnitOfWork, { resumeAt }: Sender) => (resumeAt === now ? shifted(now, secondMs) : now);

const afterLease = ({ leaseUntilMs }: Sender) => shifted(new Date(leaseUntilMs), secondMs);
