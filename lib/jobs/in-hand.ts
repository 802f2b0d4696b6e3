import { type AccountPlace, acquireSoon, release, wakeSender } from '#lib/accounts/sender.ts';
import { timestamp } from '#lib/clock.ts';
import { transact } from '#lib/table/transact.ts';
import { system } from '#lib/tenant.ts';
import { dueJobs } from './queue.ts';

/**
 * Takes an account in hand for something else than sending, after whoever has it now; undefined when they have it for so long. Returns
 * what gives it free: jobs that became due meanwhile have found it taken, and are sent then.
 */
export async function takeInHand(
  place: AccountPlace,
  leaseMs: number,
  patienceMs: number,
): Promise<(() => Promise<void>) | undefined> {
  const { tenant, accountId } = place;
  const lease = await acquireSoon(place, leaseMs, patienceMs);
  return (
    lease &&
    (async () => {
      await release(lease);
      if ((await dueJobs(tenant, accountId, timestamp(), 1)).length > 0)
        await transact(tenant, system, (tx) => wakeSender(tx, accountId));
    })
  );
}
