import { type Health, Healths } from '#lib/entities/webhook-health.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { dispatchSoon } from './dispatch.ts';
import { withoutFailures } from './health.ts';

/** Lets an endpoint be sent to again at once; nothing changes where none of its deliveries has failed lately. */
export async function endPause(tx: UnitOfWork, health: Health): Promise<Health> {
  if (health.consecutiveFailures === 0 && health.openings === 0) return health;
  await dispatchSoon(tx, health.id, { notBefore: null });
  return tx.update(Healths, withoutFailures(health));
}
