import { minuteMs, secondMs } from '#lib/clock.ts';
import { Feed, type FeedEvent } from '#lib/entities/feed-event.ts';
import { FanOutRetries, type FanOutRetry, FanOuts } from '#lib/entities/webhook-fan-out.ts';
import { log } from '#lib/log.ts';
import { indexEntries } from '#lib/table/entity.ts';
import { readRows } from '#lib/table/rows.ts';
import { isOwnReason, reasonOf, setAside } from '#lib/table/set-aside.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { system, type Tenant } from '#lib/tenant.ts';
import { fanOutTimeoutSeconds } from '#lib/timeouts.ts';
import { instant } from './dispatch.ts';
import { fanOut } from './fan-out.ts';

const place = { id: 1 } as const;
/** Steps are begun for so long; then the tenant's next turn comes behind those of the others. */
const budgetMs = 15 * secondMs;
/** One transaction an endpoint. */
const stepEvents = 20;
/** A timer may be early by what two clocks differ. */
const earlyMs = secondMs;

/** Twice as long from try to try, a minute at first: an hour in all, in which a newer version that can read it may be back. */
const maxTries = 6;

/**
 * Makes the deliveries that the publisher has left for a tenant, in the order of the events, for some seconds; what is still left
 * then has another turn. Nothing happens while another process is at it. An event that fails for a reason of its own is passed over,
 * and tried again by itself.
 */
export async function fanOutBacklog(tenant: Tenant): Promise<void> {
  const deadlineMs = Date.now() + budgetMs;
  let backlog = await claim(tenant);
  while (backlog) {
    const from = backlog.doneTo;
    const to = Math.min(from + stepEvents, backlog.upTo);
    const failed = await fanOutBetween(tenant, from, to);
    backlog = await advance(tenant, { from, to, failed }, Date.now() >= deadlineMs);
  }
}

/**
 * Tries an event that was passed over once more. After the last try its timer is set aside, and with a retry of that it has its
 * tries again.
 */
export async function retryFanOut(tenant: Tenant, sequence: number): Promise<void> {
  const retry = await claimRetry(tenant, sequence);
  if (retry === undefined) return;
  try {
    await fanOutOne(tenant, sequence);
  } catch (error) {
    if (!isOwnReason(error)) throw error;
    log().error('the deliveries of an event could not be made', {
      sequence,
      tries: retry.tries,
      reason: reasonOf(error),
    });
    if (retry.tries >= maxTries) await setRetryAside(tenant, sequence, error);
    return;
  }
  await transact(tenant, system, async (tx) => {
    const done = await tx.find(FanOutRetries, { id: sequence });
    if (done) tx.delete(FanOutRetries, done);
  });
}

/** The try is counted before it is made. Undefined when it is not due, done, or set aside. */
const claimRetry = (tenant: Tenant, id: number) =>
  transact(tenant, system, async (tx) => {
    const retry = await tx.find(FanOutRetries, { id });
    if (!retry || new Date(retry.at).getTime() > Date.now() + earlyMs) return undefined;
    if ((await readRows(timersOf(tenant, retry))).size === 0) return undefined;
    return tx.update(FanOutRetries, { ...retry, tries: retry.tries + 1, at: instant(nextTryMs(retry.tries + 1)) });
  });

/** The last one must have ended by then. */
const nextTryMs = (tries: number) =>
  Date.now() + (tries < maxTries ? minuteMs * 2 ** tries : fanOutTimeoutSeconds * secondMs);

const timersOf = (tenant: Tenant, retry: FanOutRetry) => [...indexEntries(tenant, FanOutRetries, retry).values()];

/** The event is not tried again until an operator puts its timer back. */
async function setRetryAside(tenant: Tenant, id: number, error: unknown): Promise<void> {
  const retry = await transact(tenant, system, async (tx) => {
    const left = await tx.find(FanOutRetries, { id });
    return left && tx.update(FanOutRetries, { ...left, tries: 0 });
  });
  for (const timer of retry ? timersOf(tenant, retry) : []) await setAside(timer, maxTries, error);
}

/** Makes what can be made. Returns the sequences of those events that fail for reasons of their own. */
async function fanOutBetween(tenant: Tenant, from: number, to: number): Promise<number[]> {
  try {
    await fanOut(tenant, await eventsBetween(tenant, from, to));
    return [];
  } catch (error) {
    if (!isOwnReason(error)) throw error;
  }
  const failed: number[] = [];
  for (let sequence = from + 1; sequence <= to; sequence += 1) {
    try {
      await fanOutOne(tenant, sequence);
    } catch (error) {
      if (!isOwnReason(error)) throw error;
      log().error('an event is passed over: its deliveries could not be made', { sequence, reason: reasonOf(error) });
      failed.push(sequence);
    }
  }
  return failed;
}

const fanOutOne = async (tenant: Tenant, sequence: number) =>
  fanOut(tenant, await eventsBetween(tenant, sequence - 1, sequence));

/** Whoever has it is gone by the time it says. */
const claim = (tenant: Tenant) =>
  transact(tenant, system, async (tx) => {
    const backlog = await tx.find(FanOuts, place);
    if (!backlog || new Date(backlog.at).getTime() > Date.now() + earlyMs) return undefined;
    return tx.update(FanOuts, { ...backlog, at: instant(Date.now() + fanOutTimeoutSeconds * secondMs) });
  });

/** By their keys, since a query may see half of the transaction that numbered them. Those that have expired are left out. */
async function eventsBetween(tenant: Tenant, from: number, to: number): Promise<FeedEvent[]> {
  const sequences = Array.from({ length: to - from }, (_, index) => ({ sequence: from + 1 + index }));
  return new UnitOfWork(tenant, system).findAll(Feed, sequences);
}

/** Returns what is left for this turn. Where earlier events were left meanwhile, it begins with those. */
const advance = (
  tenant: Tenant,
  { from, to, failed }: { from: number; to: number; failed: readonly number[] },
  isOver: boolean,
) =>
  transact(tenant, system, async (tx) => {
    const [found, known] = await Promise.all([
      tx.find(FanOuts, place),
      tx.findAll(
        FanOutRetries,
        failed.map((id) => ({ id })),
      ),
    ]);
    for (const id of failed) {
      if (!known.some((retry) => retry.id === id))
        tx.create(FanOutRetries, { id, tries: 0, at: instant(nextTryMs(0)) });
    }
    if (!found) return undefined;
    const backlog = { ...found, doneTo: found.doneTo === from ? to : found.doneTo };
    if (backlog.doneTo >= backlog.upTo) {
      tx.delete(FanOuts, found);
      return undefined;
    }
    tx.update(FanOuts, isOver ? { ...backlog, at: instant(Date.now()) } : backlog);
    return isOver ? undefined : backlog;
  });
