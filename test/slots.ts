import { minuteMs } from '#lib/core/clock.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import { inSlot, maxSlots } from '#lib/table/slots.ts';

/** Holds every slot of a tenant. Returns what gives them back. */
export async function holdSlots(tenant: Tenant): Promise<() => Promise<void>> {
  const end = Promise.withResolvers<void>();
  const held: Promise<void>[] = [];
  for (let slot = 0; slot < maxSlots; slot += 1) {
    const begun = Promise.withResolvers<void>();
    const work = inSlot(tenant, minuteMs, async () => {
      begun.resolve();
      await end.promise;
    });
    held.push(work);
    await Promise.race([begun.promise, work]);
  }
  return async () => {
    end.resolve();
    await Promise.all(held);
  };
}
