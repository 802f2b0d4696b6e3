import { log } from '#lib/core/log.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { Deliveries } from '#lib/entities/delivery.ts';
import { Endpoints } from '#lib/entities/webhook.ts';
import { ReplayQueues } from '#lib/entities/webhook-replays.ts';
import { isPermanent, reasonOf } from '#lib/table/dead-letter.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { maxPerTransaction, repeat } from './deliveries.ts';
import { refusalOf } from './poison.ts';

/** Makes some of the deliveries that wait to be replayed. One whose original cannot be read stays failed, and can be replayed again. */
export async function expandReplays(tenant: Tenant, endpointId: number): Promise<void> {
  try {
    await expand(tenant, endpointId, new Set());
  } catch (error) {
    const unreadable = isPermanent(error) ? await unreadableOriginals(tenant, endpointId) : new Set<number>();
    if (unreadable.size === 0) throw error;
    await expand(tenant, endpointId, unreadable);
  }
}

async function unreadableOriginals(tenant: Tenant, endpointId: number): Promise<Set<number>> {
  const queue = await new UnitOfWork(tenant, system).find(ReplayQueues, { id: endpointId });
  const unreadable = new Set<number>();
  for (const id of queue?.deliveryIds.slice(0, maxPerTransaction) ?? []) {
    const error = await refusalOf(tenant, endpointId, id);
    if (error === undefined) continue;
    log().error('a delivery cannot be read and is not replayed', { endpointId, id, reason: reasonOf(error) });
    unreadable.add(id);
  }
  return unreadable;
}

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
    const chunk = waiting.deliveryIds.slice(0, maxPerTransaction);
    const readable = chunk.filter((id) => !unreadable.has(id));
    const originals = await tx.findAll(
      Deliveries,
      readable.map((id) => ({ endpointId, id })),
    );
    await tx.reserveIds({ [Deliveries.name]: originals.length });
    for (const original of originals) {
      if (!original.isReplayed) await repeat(tx, original, endpoint.isActive);
    }
    const deliveryIds = waiting.deliveryIds.slice(chunk.length);
    if (deliveryIds.length === 0) tx.delete(ReplayQueues, waiting);
    else tx.update(ReplayQueues, { ...waiting, deliveryIds });
  });
