import { type Transaction, transact } from '#lib/table/transaction.ts';
import { system, type Tenant } from '#lib/tenant.ts';
import type { Backlog } from './backlog.ts';
import { repeat, skippedError } from './deliveries.ts';
import { Deliveries, type StoredDelivery } from './delivery.ts';
import { Endpoints } from './endpoint.ts';
import { ReplayQueues } from './replays.ts';
import { finished } from './settle.ts';

/** Seven actions a delivery at most, of a transaction's hundred. */
const chunkSize = 12;

/**
 * Finishes some of what waits for an endpoint that is disabled (what was never tried is skipped, the rest has failed) or
 * deleted (it is dropped).
 */
export function clear(tenant: Tenant, endpointId: number, { first, retries, later }: Backlog): Promise<void> {
  const ids = [...first, ...retries, ...later].slice(0, chunkSize).map(({ id }) => ({ endpointId, id }));
  return transact(tenant, system, async (tx) => {
    const [endpoint, rows] = await Promise.all([tx.find(Endpoints, { id: endpointId }), tx.findAll(Deliveries, ids)]);
    if (endpoint?.isActive) return;
    for (const row of rows) {
      if (!endpoint) tx.delete(Deliveries, row);
      else tx.update(Deliveries, ended(tx, row));
    }
  });
}

const ended = (tx: Transaction, row: StoredDelivery): StoredDelivery => ({
  ...finished(tx, row, row.attemptCount === 0 ? 'skipped' : 'failed'),
  error: skippedError,
});

/** Makes some of the deliveries that wait to be replayed. */
export function expandReplays(tenant: Tenant, endpointId: number): Promise<void> {
  return transact(tenant, system, async (tx) => {
    const [waiting, endpoint] = await Promise.all([
      tx.find(ReplayQueues, { id: endpointId }),
      tx.find(Endpoints, { id: endpointId }),
    ]);
    if (!waiting) return;
    const chunk = endpoint ? waiting.deliveryIds.slice(0, chunkSize) : [];
    const originals = await tx.findAll(
      Deliveries,
      chunk.map((id) => ({ endpointId, id })),
    );
    await tx.reserveIds({ [Deliveries.name]: originals.length });
    for (const original of originals) {
      if (!original.isReplayed) await repeat(tx, original, endpoint?.isActive === true);
    }
    const deliveryIds = endpoint ? waiting.deliveryIds.slice(chunk.length) : [];
    if (deliveryIds.length === 0) tx.delete(ReplayQueues, waiting);
    else tx.update(ReplayQueues, { ...waiting, deliveryIds });
  });
}
