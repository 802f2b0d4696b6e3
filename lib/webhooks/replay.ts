import { minuteMs, now } from '#lib/clock.ts';
import { Deliveries } from '#lib/entities/delivery.ts';
import { Endpoints } from '#lib/entities/webhook.ts';
import { ReplayQueues } from '#lib/entities/webhook-replays.ts';
import { isOwnReason, passOver } from '#lib/table/set-aside.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { system, type Tenant } from '#lib/tenant.ts';
import { maxPerTransaction, repeat } from './deliveries.ts';
import { instant } from './dispatch.ts';
import { placeOf, refusalOf } from './poison.ts';

/** Replays of which it is looked whether they can be read. */
const maxLookedThrough = 100;

/** Makes some of the deliveries that wait to be replayed; those whose originals cannot be read hold up none of the others. */
export async function expandReplays(tenant: Tenant, endpointId: number): Promise<void> {
  try {
    await expand(tenant, endpointId, new Set());
  } catch (error) {
    const unreadable = isOwnReason(error) ? await passOverOriginals(tenant, endpointId) : new Set<number>();
    if (unreadable.size === 0) throw error;
    await expand(tenant, endpointId, unreadable);
  }
}

async function passOverOriginals(tenant: Tenant, endpointId: number): Promise<Set<number>> {
  const queue = await new UnitOfWork(tenant, system).find(ReplayQueues, { id: endpointId });
  const unreadable = new Set<number>();
  for (const id of queue?.deliveryIds.slice(0, maxLookedThrough) ?? []) {
    const error = await refusalOf(tenant, endpointId, id);
    if (error === undefined) continue;
    await passOver(placeOf(tenant, endpointId, id), error);
    unreadable.add(id);
  }
  return unreadable;
}

/** Those that cannot be read go to the end of the queue, which waits a minute when they are all that was looked at. */
const expand = (tenant: Tenant, endpointId: number, unreadable: ReadonlySet<number>): Promise<void> =>
  transact(tenant, system, async (tx) => {
    const [waiting, endpoint] = await Promise.all([
      tx.find(ReplayQueues, { id: endpointId }),
      tx.find(Endpoints, { id: endpointId }),
    ]);
    if (!waiting) return;
    if (!endpoint) {
      tx.delete(ReplayQueues, waiting);
      return;
    }
    const isSound = (id: number) => !unreadable.has(id);
    const chunk = waiting.deliveryIds.slice(0, maxLookedThrough).filter(isSound).slice(0, maxPerTransaction);
    const originals = await tx.findAll(
      Deliveries,
      chunk.map((id) => ({ endpointId, id })),
    );
    await tx.reserveIds({ [Deliveries.name]: originals.length });
    for (const original of originals) {
      if (!original.isReplayed) await repeat(tx, original, endpoint.isActive);
    }
    const left = waiting.deliveryIds.filter((id) => !chunk.includes(id));
    const deliveryIds = [...left.filter(isSound), ...left.filter((id) => unreadable.has(id))];
    const notBefore = chunk.length === 0 ? instant(now() + minuteMs) : null;
    if (deliveryIds.length === 0) tx.delete(ReplayQueues, waiting);
    else tx.update(ReplayQueues, { ...waiting, deliveryIds, notBefore });
  });
