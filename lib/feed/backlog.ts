import { minuteMs, now, secondMs } from '#lib/clock.ts';
import { Feed, type FeedEvent } from '#lib/entities/feed-event.ts';
import type { FanOutRetries, FanOutRetry, FanOuts } from '#lib/entities/webhook-fan-out.ts';
import { log } from '#lib/log.ts';
import { indexEntries } from '#lib/table/entity.ts';
import { readRows } from '#lib/table/rows.ts';
import { isOwnReason, reasonOf, setAside } from '#lib/table/set-aside.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { system, type Tenant } from '#lib/tenant.ts';
import { fanOutTimeoutSeconds } from '#lib/timeouts.ts';

/** Events of the feed that somebody has yet to be given: where that is kept, and how several are given at once. */
export interface Backlog {
  left: typeof FanOuts;
  retries: typeof FanOutRetries;
  /** May be called again with the same events at any point. */
  give(tenant: Tenant, events: readonly FeedEvent[]): Promise<void>;
}

const place = { id: 1 } as const;
/** Steps are begun for so long; then the tenant's next turn comes behind those of the others. */
const budgetMs = 15 * secondMs;
/** One transaction an endpoint. */
const stepEvents = 20;
/** A timer may be early by what two clocks differ. */
const earlyMs = secondMs;

/** Twice as long from try to try, a minute at first: an hour in all, in which a newer version that can read it may be back. */
const maxTries = 6;

const instant = (ms: number) => new Date(ms).toISOString();

/** Leaves events to the worker. Those that were numbered earlier than what is left already are given first. */
export async function leave(
  { left }: Pick<Backlog, 'left'>,
  tenant: Tenant,
  events: readonly FeedEvent[],
): Promise<void> {
  const sequences = events.map(({ sequence }) => sequence);
  const [doneTo, upTo] = [Math.min(...sequences) - 1, Math.max(...sequences)];
  await transact(tenant, system, async (tx) => {
    const backlog = await tx.find(left, place);
    if (!backlog) tx.create(left, { ...place, doneTo, upTo, at: instant(now()) });
    else if (doneTo < backlog.doneTo || upTo > backlog.upTo)
      tx.update(left, { ...backlog, doneTo: Math.min(doneTo, backlog.doneTo), upTo: Math.max(upTo, backlog.upTo) });
  });
}

/**
 * Gives what the publisher has left of a tenant, in the order of the events, for some seconds; what is still left then has another
 * turn. Nothing happens while another process is at it. An event that fails for a reason of its own is passed over, and tried again
 * by itself.
 */
export async function giveLeft(backlog: Backlog, tenant: Tenant): Promise<void> {
  const deadlineMs = now() + budgetMs;
  let left = await claim(backlog, tenant);
  while (left) {
    const from = left.doneTo;
    const to = Math.min(from + stepEvents, left.upTo);
    const failed = await giveBetween(backlog, tenant, from, to);
    left = await advance(backlog, tenant, { from, to, failed }, now() >= deadlineMs);
  }
}

/**
 * Tries an event that was passed over once more. After the last try its timer is set aside, and with a retry of that it has its
 * tries again.
 */
export async function giveAgain(backlog: Backlog, tenant: Tenant, sequence: number): Promise<void> {
  const { retries } = backlog;
  const retry = await claimRetry(backlog, tenant, sequence);
  if (retry === undefined) return;
  try {
    await giveOne(backlog, tenant, sequence);
  } catch (error) {
    if (!isOwnReason(error)) throw error;
    log().error('an event that was passed over fails again', {
      backlog: backlog.left.name,
      sequence,
      tries: retry.tries,
      reason: reasonOf(error),
    });
    if (retry.tries >= maxTries) await setRetryAside(backlog, tenant, sequence, error);
    return;
  }
  await transact(tenant, system, async (tx) => {
    const done = await tx.find(retries, { id: sequence });
    if (done) tx.delete(retries, done);
  });
}

/** The try is counted before it is made. Undefined when it is not due, done, or set aside. */
const claimRetry = ({ retries }: Backlog, tenant: Tenant, id: number) =>
  transact(tenant, system, async (tx) => {
    const retry = await tx.find(retries, { id });
    if (!retry || new Date(retry.at).getTime() > now() + earlyMs) return undefined;
    if ((await readRows(timersOf(retries, tenant, retry))).size === 0) return undefined;
    return tx.update(retries, { ...retry, tries: retry.tries + 1, at: instant(nextTryMs(retry.tries + 1)) });
  });

/** The last one must have ended by then. */
const nextTryMs = (tries: number) =>
  now() + (tries < maxTries ? minuteMs * 2 ** tries : fanOutTimeoutSeconds * secondMs);

const timersOf = (retries: Backlog['retries'], tenant: Tenant, retry: FanOutRetry) => [
  ...indexEntries(tenant, retries, retry).values(),
];

/** The event is not tried again until an operator puts its timer back. */
async function setRetryAside({ retries }: Backlog, tenant: Tenant, id: number, error: unknown): Promise<void> {
  const retry = await transact(tenant, system, async (tx) => {
    const left = await tx.find(retries, { id });
    return left && tx.update(retries, { ...left, tries: 0 });
  });
  for (const timer of retry ? timersOf(retries, tenant, retry) : []) await setAside(timer, maxTries, error);
}

/** Gives what can be given. Returns the sequences of those events that fail for reasons of their own. */
async function giveBetween(backlog: Backlog, tenant: Tenant, from: number, to: number): Promise<number[]> {
  try {
    await backlog.give(tenant, await eventsBetween(tenant, from, to));
    return [];
  } catch (error) {
    if (!isOwnReason(error)) throw error;
  }
  const failed: number[] = [];
  for (let sequence = from + 1; sequence <= to; sequence += 1) {
    try {
      await giveOne(backlog, tenant, sequence);
    } catch (error) {
      if (!isOwnReason(error)) throw error;
      log().error('an event is passed over', { backlog: backlog.left.name, sequence, reason: reasonOf(error) });
      failed.push(sequence);
    }
  }
  return failed;
}

const giveOne = async ({ give }: Backlog, tenant: Tenant, sequence: number) =>
  give(tenant, await eventsBetween(tenant, sequence - 1, sequence));

/** Whoever has it is gone by the time it says. */
const claim = ({ left }: Backlog, tenant: Tenant) =>
  transact(tenant, system, async (tx) => {
    const backlog = await tx.find(left, place);
    if (!backlog || new Date(backlog.at).getTime() > now() + earlyMs) return undefined;
    return tx.update(left, { ...backlog, at: instant(now() + fanOutTimeoutSeconds * secondMs) });
  });

/** By their keys, since a query may see half of the transaction that numbered them. Those that have expired are left out. */
async function eventsBetween(tenant: Tenant, from: number, to: number): Promise<FeedEvent[]> {
  const sequences = Array.from({ length: to - from }, (_, index) => ({ sequence: from + 1 + index }));
  return new UnitOfWork(tenant, system).findAll(Feed, sequences);
}

/** Returns what is left for this turn. Where earlier events were left meanwhile, it begins with those. */
const advance = (
  { left, retries }: Backlog,
  tenant: Tenant,
  { from, to, failed }: { from: number; to: number; failed: readonly number[] },
  isOver: boolean,
) =>
  transact(tenant, system, async (tx) => {
    const [found, known] = await Promise.all([
      tx.find(left, place),
      tx.findAll(
        retries,
        failed.map((id) => ({ id })),
      ),
    ]);
    for (const id of failed) {
      if (!known.some((retry) => retry.id === id)) tx.create(retries, { id, tries: 0, at: instant(nextTryMs(0)) });
    }
    if (!found) return undefined;
    const backlog = { ...found, doneTo: found.doneTo === from ? to : found.doneTo };
    if (backlog.doneTo >= backlog.upTo) {
      tx.delete(left, found);
      return undefined;
    }
    tx.update(left, isOver ? { ...backlog, at: instant(now()) } : backlog);
    return isOver ? undefined : backlog;
  });
