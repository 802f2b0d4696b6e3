import { nextDay, now, secondMs } from '#lib/core/clock.ts';
import { Endpoints } from '#lib/entities/webhook.ts';
import { Dispatches, earliest } from '#lib/entities/webhook-dispatch.ts';
import { type Health, Healths } from '#lib/entities/webhook-health.ts';
import { ReplayQueues } from '#lib/entities/webhook-replays.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { type Backlog, readBacklog } from './backlog.ts';
import { instant } from './dispatch.ts';
import { LeaseLost, requireLease } from './settle.ts';
import { isOver, isSlowBy, type Shift } from './shift.ts';

/** A further attempt this near is waited for. */
const nearMs = secondMs;

/** Next action of a worker; undefined when its shift has ended. */
export type Next = 'deliver' | 'fail-unreadable' | 'clear' | 'skip' | 'replay' | { sleepMs: number };

interface Decision {
  next: Next | undefined;
  health: Health;
  backlog: Backlog;
}

/**
 * Decides what a worker does that has nothing in hand. When nothing is left for it, its turn ends here: the lease is given up, and
 * the timer says when the endpoint has its next. Throws LeaseLost.
 */
export async function decide(tx: UnitOfWork, shift: Shift, isSpent: boolean): Promise<Decision> {
  const id = shift.endpointId;
  const [dispatch, health, endpoint, replays] = await Promise.all([
    tx.find(Dispatches, { id }),
    tx.find(Healths, { id }),
    tx.find(Endpoints, { id }),
    tx.find(ReplayQueues, { id }),
  ]);
  if (!dispatch) throw new LeaseLost();
  requireLease(health, shift.owner);
  // After the dispatch: who adds work writes it last, so that this commit fails or this query sees the work.
  const backlog = await readBacklog(tx, health);
  const decided = (next: Next | undefined): Decision => ({ next, health, backlog });
  const nowMs = now();
  const isOpen = health.openUntilMs > nowMs;
  const dueCount = backlog.first.length + backlog.retries.length;
  const replaysAt = isSpent ? instant(Date.parse(nextDay())) : instant(0);
  const due = (): Exclude<Next, object> | undefined => {
    if (backlog.unreadable.length > 0) return 'fail-unreadable';
    if (replays && !(endpoint && replaysAt > instant(nowMs))) return 'replay';
    if (!endpoint?.isActive && dueCount + backlog.later.length > 0) return 'clear';
    if (dueCount > 0 && isSpent) return 'skip';
    return dueCount > 0 && !isOpen ? 'deliver' : undefined;
  };
  const next = due();
  const mustEnd = isOver(shift, health);
  if (next !== undefined && !mustEnd) return decided(next);
  if (next === undefined && !endpoint) {
    tx.delete(Dispatches, dispatch);
    tx.delete(Healths, health);
    return decided(undefined);
  }
  const nextRetryMs = backlog.nextRetryAt === null ? Number.POSITIVE_INFINITY : Date.parse(backlog.nextRetryAt);
  if (dueCount === 0 && !isOpen && !mustEnd && nextRetryMs - nowMs <= nearMs)
    return decided({ sleepMs: Math.max(1, nextRetryMs - nowMs) });
  // Wrong counts are corrected when nothing waits.
  const isEmpty = dueCount + backlog.later.length + backlog.unreadable.length === 0;
  const { made, finished } = isEmpty ? { made: 0, finished: 0 } : { ...dispatch, ...health };
  const laterAt = earliest(backlog.nextRetryAt, replays ? replaysAt : null);
  const at = next !== undefined || dueCount > 0 ? instant(nowMs) : laterAt;
  const recheckAt = dispatch.recheckAt !== null && dispatch.recheckAt > instant(nowMs) ? dispatch.recheckAt : null;
  // Deliveries that are due despite the breaker do not wait for it.
  const notBefore = isOpen && next === undefined ? instant(health.openUntilMs) : null;
  tx.update(Dispatches, { ...dispatch, at, recheckAt, notBefore, isSlow: isSlowBy(shift, health), made });
  tx.update(Healths, { ...health, owner: null, leaseUntilMs: 0, finished });
  return decided(undefined);
}
