import { dayMs, epochSeconds, now } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import { rateLimited } from '#lib/core/problem.ts';
import { type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { rowKey } from './keys.ts';
import { leases } from './lease.ts';
import { writeIf } from './write.ts';

/**
 * How many calls of a tenant may wait for somebody outside at once: each holds an invocation, of which the account has so many for all
 * tenants and workers.
 */
export const maxSlots = 10;

const slots = leases({ until: 'until', at: (epochMs) => epochMs, owner: 'owner' });

/** Waits for somebody outside in a slot of the tenant, for `forMs` at most. Raises 429 while other calls have all slots. */
export async function inSlot<Result>(tenant: Tenant, forMs: number, work: () => Promise<Result>): Promise<Result> {
  const slot = await takeSlot(tenant, forMs);
  try {
    return await work();
  } finally {
    await writeIf({ ...slot, item: null }).catch((error: unknown) => log().warn('a slot stays taken', { error }));
  }
}

async function takeSlot(tenant: Tenant, forMs: number) {
  const expiresAtSeconds = epochSeconds(new Date(now() + dayMs));
  const first = Math.floor(Math.random() * maxSlots);
  for (let index = 0; index < maxSlots; index += 1) {
    const key = rowKey('slot', { tenant: tenantKey(tenant), slot: `${(first + index) % maxSlots}` });
    const { item } = await slots.acquire(now() + forMs, (holder) => ({
      key,
      item: { ...holder, expiresAtSeconds },
      if: slots.whereFree(),
    }));
    if (item) return { key, if: { is: { owner: item['owner'] } } };
  }
  const message = `${maxSlots} calls of this kind are under way: try again when one of them has ended`;
  throw rateLimited(message, 1, 'too_many_at_once');
}
