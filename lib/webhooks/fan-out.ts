import type { FeedEvent } from '#lib/events/feed.ts';
import { listAll } from '#lib/table/list.ts';
import { Transaction, transact } from '#lib/table/transaction.ts';
import { system, type Tenant } from '#lib/tenant.ts';
import { createDelivery, deliveryIdOf } from './deliveries.ts';
import { Deliveries, DeliveryIds } from './delivery.ts';
import { Endpoints, isSubscribed, type StoredEndpoint } from './endpoint.ts';
import { Wakes, wakeNow } from './wake.ts';

/** Each is five actions at most of a transaction's hundred. */
const chunkSize = 20;
/** What the clocks of two functions may differ, and less than a caller needs from one answer to the next call. */
const skewMs = 5;

/**
 * Makes one delivery of each event per subscribed endpoint, and lets the endpoints know. May be called again with the same events
 * at any point: a delivery is made once. The events of a tenant must come in their order, one call after the other.
 */
export async function fanOut(tenant: Tenant, events: readonly FeedEvent[]): Promise<void> {
  if (events.length === 0) return;
  const endpoints = await listAll(new Transaction(tenant, system), Endpoints);
  await Promise.all(endpoints.map((endpoint) => fanOutTo(tenant, endpoint, events)));
}

/** In order and one chunk after the other, so that ids rise with the sequence whatever call dies. */
async function fanOutTo(tenant: Tenant, endpoint: StoredEndpoint, events: readonly FeedEvent[]): Promise<void> {
  const fromMs = endpoint.registeredAtMs - skewMs;
  const wanted = events.filter(
    ({ event, committedAt }) => isSubscribed(endpoint, event) && new Date(committedAt).getTime() >= fromMs,
  );
  if (wanted.length === 0) return;
  for (let start = 0; start < wanted.length; start += chunkSize)
    await createAll(tenant, endpoint, wanted.slice(start, start + chunkSize));
  // After the deliveries, not with them: a query may for a moment see one half of a transaction, and whoever sees the endpoint
  // woken must also see what for. A crash in between is repaired by the next call.
  if (endpoint.isActive) await transact(tenant, system, (tx) => wakeNow(tx, endpoint.id));
}

function createAll(tenant: Tenant, endpoint: StoredEndpoint, events: readonly FeedEvent[]): Promise<void> {
  const { id: endpointId, isActive } = endpoint;
  const ids = events.map((event) => deliveryIdOf(tenant, endpointId, event.id));
  return transact(tenant, system, async (tx) => {
    const [known, wake] = await Promise.all([
      tx.findAll(
        DeliveryIds,
        ids.map((deliveryId) => ({ endpointId, deliveryId })),
      ),
      tx.find(Wakes, { id: endpointId }),
      tx.reserveIds({ [Deliveries.name]: events.length }),
    ]);
    // Its worker has taken everything away that belonged to the deleted endpoint.
    if (!wake) return;
    const made = new Set(known.map(({ deliveryId }) => deliveryId));
    for (const [index, event] of events.entries()) {
      const deliveryId = ids[index] as string;
      if (!made.has(deliveryId))
        await createDelivery(tx, { endpointId, deliveryId, event, status: isActive ? 'pending' : 'skipped' });
    }
  });
}
