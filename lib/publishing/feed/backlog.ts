import { minuteMs, now, secondMs } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { fanOutTimeoutSeconds } from '#lib/core/timeouts.ts';
import { Feed, type FeedEvent } from '#lib/entities/feed-event.ts';
import type { FanOutRetries, FanOuts } from '#lib/entities/webhook-fan-out.ts';
import { bury, isPermanent, reasonOf } from '#lib/table/dead-letter.ts';
import { indexEntries } from '#lib/table/entity.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** Events of the feed that somebody has yet to be given: where that is kept, and how several are given at once. */
export interface LeftEvents {
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
/** After so long an event that failed is tried a last time. */
const retryAfterMs = minuteMs;

const instant = (ms: number) => new Date(ms).toISOString();

/** Leaves events to the worker. Those that were numbered earlier than what is left already are given first. */
export async function leave(
  { left }: Pick<LeftEvents, 'left'>,
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
 * turn. Nothing happens while another process is at it. An event that fails for a reason of its own is left out, and tried again by
 * itself.
 */
export async function giveLeft(backlog: LeftEvents, tenant: Tenant): Promise<void> {
  const deadlineMs = now() + budgetMs;
  let left = await claim(backlog, tenant);
  while (left) {
    const from = left.doneTo;
    const to = Math.min(from + stepEvents, left.upTo);
    const failed = await giveBetween(backlog, tenant, from, to);
    left = await advance(backlog, tenant, { from, to, failed }, now() >= deadlineMs);
  }
}

/** Gives an event once more that failed for a reason of its own. Its timer is a dead letter if it fails again. */
export async function giveAgain(backlog: LeftEvents, tenant: Tenant, sequence: number): Promise<void> {
  const { retries } = backlog;
  const retry = await new UnitOfWork(tenant, system).find(retries, { id: sequence });
  if (retry === undefined) return;
  try {
    await giveOne(backlog, tenant, sequence);
  } catch (error) {
    if (!isPermanent(error)) throw error;
    for (const timer of indexEntries(tenant, retries, retry).values()) await bury(timer, error);
    return;
  }
  await transact(tenant, system, async (tx) => {
    const done = await tx.find(retries, { id: sequence });
    if (done) tx.delete(retries, done);
  });
}

/** Gives what can be given. Returns the sequences of those events that fail for reasons of their own. */
async function giveBetween(backlog: LeftEvents, tenant: Tenant, from: number, to: number): Promise<number[]> {
  try {
    await backlog.give(tenant, await eventsBetween(tenant, from, to));
    return [];
  } catch (error) {
    if (!isPermanent(error)) throw error;
  }
  const failed: number[] = [];
  for (let sequence = from + 1; sequence <= to; sequence += 1) {
    try {
      await giveOne(backlog, tenant, sequence);
    } catch (error) {
      if (!isPermanent(error)) throw error;
      log().error('an event could not be given', { backlog: backlog.left.name, sequence, reason: reasonOf(error) });
      failed.push(sequence);
    }
  }
  return failed;
}

const giveOne = async ({ give }: LeftEvents, tenant: Tenant, sequence: number) =>
  give(tenant, await eventsBetween(tenant, sequence - 1, sequence));

/** Claims a backlog whose time has come. Its earlier owner has ended by then. */
const claim = ({ left }: LeftEvents, tenant: Tenant) =>
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
  { left, retries }: LeftEvents,
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
      if (!known.some((retry) => retry.id === id)) tx.create(retries, { id, at: instant(now() + retryAfterMs) });
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
