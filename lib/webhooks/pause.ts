import { now } from '#lib/core/clock.ts';
import { type Health, Healths } from '#lib/entities/webhook-health.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { dispatchSoon, instant } from './dispatch.ts';
import { withoutFailures } from './health.ts';

/** Makes everything that waits for an endpoint due, further attempts too, and forgets its failures. */
export async function sendWaiting(tx: UnitOfWork, health: Health): Promise<Health> {
  await dispatchSoon(tx, health.id, { notBefore: null });
  return tx.update(Healths, { ...withoutFailures(health), resumedAt: instant(now()) });
}

/** Sends what waits for an endpoint; nothing changes where none of its deliveries has failed lately. */
export const endPause = async (tx: UnitOfWork, health: Health): Promise<Health> =>
  health.consecutiveFailures === 0 && health.openings === 0 ? health : sendWaiting(tx, health);
