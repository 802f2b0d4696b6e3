import { system, type Tenant } from '#lib/core/tenant.ts';
import { Deliveries, type StoredDelivery } from '#lib/entities/delivery.ts';
import { Endpoints } from '#lib/entities/webhook.ts';
import { Healths } from '#lib/entities/webhook-health.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import type { Backlog, Waiting } from './backlog.ts';
import { maxPerTransaction, skippedFor } from './deliveries.ts';
import { finish, forgetEntry, isUnderWay, requireLease } from './settle.ts';
import { countFinished } from './waiting.ts';

/**
 * Finishes some of what waits for an endpoint that is disabled (what was never tried is skipped, the rest has failed) or
 * deleted (it is dropped). Throws LeaseLost.
 */
export function clear(
  tenant: Tenant,
  endpointId: number,
  owner: string,
  { first, retries, later }: Backlog,
): Promise<void> {
  const chunk = [...first, ...retries, ...later].slice(0, maxPerTransaction);
  return transact(tenant, system, async (tx) => {
    const [endpoint, rows] = await Promise.all([
      tx.find(Endpoints, { id: endpointId }),
      rowsOf(tx, endpointId, owner, chunk),
    ]);
    if (endpoint?.isActive) return;
    for (const row of rows) {
      if (!endpoint) tx.delete(Deliveries, row);
      else tx.update(Deliveries, endWith(tx, row, row.attemptCount === 0 ? 'skipped' : 'failed', 'disabled'));
    }
    await countFinished(tx, endpointId, rows.length);
  });
}

/** Skips some of what is due: the attempts of the day are used up. Throws LeaseLost. */
export function skip(tenant: Tenant, endpointId: number, owner: string, { first, retries }: Backlog): Promise<void> {
  const chunk = [...first, ...retries].slice(0, maxPerTransaction);
  return transact(tenant, system, async (tx) => {
    const rows = await rowsOf(tx, endpointId, owner, chunk);
    for (const row of rows) tx.update(Deliveries, endWith(tx, row, 'skipped', 'quota'));
    await countFinished(tx, endpointId, rows.length);
  });
}

/**
 * Returns the unfinished deliveries of some entries, and removes entries whose delivery is gone. Throws LeaseLost.
 */
async function rowsOf(
  tx: UnitOfWork,
  endpointId: number,
  owner: string,
  chunk: readonly Waiting[],
): Promise<StoredDelivery[]> {
  const [health, rows] = await Promise.all([
    tx.find(Healths, { id: endpointId }),
    tx.findAll(
      Deliveries,
      chunk.map(({ id }) => ({ endpointId, id })),
    ),
  ]);
  requireLease(health, owner);
  tx.requireUnchanged(Healths, health);
  for (const { id, entry } of chunk) if (!rows.some((row) => row.id === id)) forgetEntry(tx, entry);
  return rows.filter(isUnderWay);
}

const endWith = (
  tx: UnitOfWork,
  row: StoredDelivery,
  status: 'skipped' | 'failed',
  why: keyof typeof skippedFor,
): StoredDelivery => ({ ...finish(tx, row, status), error: skippedFor[why] });
