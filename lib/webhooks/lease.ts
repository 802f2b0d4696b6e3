import { now, secondMs, sleep } from '#lib/core/clock.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { type Dispatch, Dispatches, dueAt } from '#lib/entities/webhook-dispatch.ts';
import { type Health, Healths } from '#lib/entities/webhook-health.ts';
import { transact } from '#lib/table/transact.ts';
import { endpointLeases, leaseMs, newHealth } from './health.ts';

export const renewAfterMs = 3 * secondMs;
/** A timer may be early by what two clocks differ, and by what a queue rounds. */
const earlyMs = 2 * secondMs;

export interface Lease {
  owner: string;
  health: Health;
  dispatch: Dispatch;
}

/**
 * Makes this process the one that delivers to an endpoint. Undefined when nothing is due, or when another process lives that
 * will find what there is. Waits for a dead one's lease to end.
 */
export async function acquire(tenant: Tenant, endpointId: number): Promise<Lease | undefined> {
  let holder: Health | undefined;
  for (;;) {
    const found = await tryAcquire(tenant, endpointId);
    if (found === undefined || 'owner' in found) return found;
    const isRenewed = holder !== undefined && found.holder?.leaseUntilMs !== holder.leaseUntilMs;
    if (isRenewed) return undefined;
    holder = found.holder;
    await sleep(found.waitMs);
  }
}

interface Wait {
  waitMs: number;
  holder?: Health;
}

function tryAcquire(tenant: Tenant, id: number): Promise<Lease | Wait | undefined> {
  return transact(tenant, system, async (tx) => {
    const [dispatch, known] = await Promise.all([tx.find(Dispatches, { id }), tx.find(Healths, { id })]);
    const at = dispatch && dueAt(dispatch);
    if (!dispatch || !at) return undefined;
    // One that an archive has brought may have none: its timer would ring for ever.
    const health = known ?? tx.create(Healths, newHealth(id));
    const nowMs = now();
    const waitMs = new Date(at).getTime() - nowMs;
    if (waitMs > earlyMs) return undefined;
    if (waitMs > 0) return { waitMs };
    if (!endpointLeases.isFree(health, nowMs)) return { waitMs: health.leaseUntilMs - nowMs + 1, holder: health };
    const taken = endpointLeases.taken(nowMs + leaseMs);
    return { owner: taken.owner, health: tx.update(Healths, { ...health, ...taken }), dispatch };
  });
}
