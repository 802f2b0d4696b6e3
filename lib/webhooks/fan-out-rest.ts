import { secondMs } from '#lib/clock.ts';
import { Feed, type FeedEvent } from '#lib/entities/feed-event.ts';
import { FanOuts } from '#lib/entities/webhook-fan-out.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { system, type Tenant } from '#lib/tenant.ts';
import { restTimeoutSeconds } from '#lib/timeouts.ts';
import { fanOut } from './fan-out.ts';
import { instant } from './wake.ts';

const place = { id: 1 } as const;
/** Steps are begun for so long; then the tenant's next turn comes behind those of the others. */
const budgetMs = 15 * secondMs;
/** One transaction an endpoint. */
const stepEvents = 20;
/** A wake-up may be early by what two clocks differ. */
const earlyMs = secondMs;

/**
 * Makes the deliveries that the publisher has left for a tenant, in the order of the events, for some seconds; what is still left
 * then has another turn. Nothing happens while another process is at it.
 */
export async function fanOutRest(tenant: Tenant): Promise<void> {
  const deadlineMs = Date.now() + budgetMs;
  let rest = await claim(tenant);
  while (rest) {
    const from = rest.doneTo;
    const to = Math.min(from + stepEvents, rest.upTo);
    await fanOut(tenant, await eventsBetween(tenant, from, to));
    rest = await advance(tenant, from, to, Date.now() >= deadlineMs);
  }
}

/** Whoever has it is gone by the time it says. */
const claim = (tenant: Tenant) =>
  transact(tenant, system, async (tx) => {
    const rest = await tx.find(FanOuts, place);
    if (!rest || new Date(rest.at).getTime() > Date.now() + earlyMs) return undefined;
    return tx.update(FanOuts, { ...rest, at: instant(Date.now() + restTimeoutSeconds * secondMs) });
  });

/** By their keys, since a query may see half of the transaction that numbered them. Those that have expired are left out. */
async function eventsBetween(tenant: Tenant, from: number, to: number): Promise<FeedEvent[]> {
  const sequences = Array.from({ length: to - from }, (_, index) => ({ sequence: from + 1 + index }));
  return new UnitOfWork(tenant, system).findAll(Feed, sequences);
}

/** Returns what is left for this turn. Where earlier events were left meanwhile, it begins with those. */
const advance = (tenant: Tenant, from: number, to: number, isOver: boolean) =>
  transact(tenant, system, async (tx) => {
    const found = await tx.find(FanOuts, place);
    if (!found) return undefined;
    const rest = { ...found, doneTo: found.doneTo === from ? to : found.doneTo };
    if (rest.doneTo >= rest.upTo) {
      tx.delete(FanOuts, found);
      return undefined;
    }
    tx.update(FanOuts, isOver ? { ...rest, at: instant(Date.now()) } : rest);
    return isOver ? undefined : rest;
  });
