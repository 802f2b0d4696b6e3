import { now } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { Deliveries, type StoredDelivery } from '#lib/entities/delivery.ts';
import { Healths } from '#lib/entities/webhook-health.ts';
import { isPermanent, reasonOf } from '#lib/table/dead-letter.ts';
import { entryKey, indexEntries, keyOf } from '#lib/table/entity.ts';
import { identity, type Key } from '#lib/table/keys.ts';
import { readRows } from '#lib/table/rows.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import type { Backlog } from './backlog.ts';
import { maxPerTransaction } from './deliveries.ts';
import { endpointLeases, leaseMs } from './health.ts';
import { faults, LeaseLost, type Result, requireLease } from './settle.ts';
import { countFinished } from './waiting.ts';

/** Whether a write failed for what it holds, not for the state of the table or of others. */
export const isPoison = (error: unknown): boolean => !(error instanceof LeaseLost) && isPermanent(error);

/** Ends the deliveries that cannot be read, of those that come next. Returns how many these were. Throws LeaseLost. */
export async function failUnreadable(
  tenant: Tenant,
  endpointId: number,
  owner: string,
  { first, retries, later, unreadable }: Backlog,
): Promise<number> {
  let count = 0;
  for (const one of [...unreadable, ...first, ...retries, ...later].slice(0, maxPerTransaction)) {
    const error = unreadable.includes(one)
      ? new Error('its entry cannot be read')
      : await refusalOf(tenant, endpointId, one.id);
    if (error === undefined) continue;
    await failDelivery(tenant, endpointId, owner, one, error);
    count += 1;
  }
  return count;
}

/** Returns why the row of a delivery cannot be read; undefined when it can. */
export async function refusalOf(tenant: Tenant, endpointId: number, id: number): Promise<unknown> {
  try {
    await new UnitOfWork(tenant, system).find(Deliveries, { endpointId, id });
    return undefined;
  } catch (error) {
    if (!isPermanent(error)) throw error;
    return error;
  }
}

/** Ends a delivery as failed that cannot be read or recorded, past its schema: its endpoint goes on without it. Throws LeaseLost. */
export async function failDelivery(
  tenant: Tenant,
  endpointId: number,
  owner: string,
  { id, entry }: Pick<Result, 'id' | 'entry'>,
  error: unknown,
): Promise<void> {
  log().error('a delivery cannot be read or recorded and is failed', { endpointId, id, reason: reasonOf(error) });
  const place = keyOf(tenant, Deliveries, { endpointId, id } as StoredDelivery);
  await transact(tenant, system, async (tx) => {
    const [health, rows] = await Promise.all([tx.find(Healths, { id: endpointId }), readRows([place])]);
    requireLease(health, owner);
    const begun = health.begun.filter((one) => one !== id);
    tx.update(Healths, { ...health, ...endpointLeases.renewed(now() + leaseMs), begun });
    const row = rows.get(identity(place));
    const entries = new Map<string, Key>(
      [
        entryKey(tenant, Deliveries, { status: { endpointId, status: 'pending' } }, id),
        entryKey(tenant, Deliveries, { retry: { endpointId } }, id, String(row?.['nextAttemptAt'])),
        ...(entry ? [entry] : []),
      ].map((key) => [identity(key), key]),
    );
    for (const key of entries.values()) tx.write({ key, item: null });
    if (row === undefined || (row['status'] !== 'pending' && row['status'] !== 'retrying')) return;
    const ending = { error: `${faults.unrecordable} (${reasonOf(error)})`, nextAttemptAt: null, completedAt: tx.now };
    const set = { status: 'failed' as const, ...ending };
    tx.write({ key: place, set, add: { v: 1 }, if: { is: { v: row['v'] } } });
    // Its end is also found by these rows, so it must be readable.
    if (!Number.isNaN(Date.parse(String(row['createdAt'])))) {
      const ended = { ...row, ...set, endpointId, id } as unknown as StoredDelivery;
      for (const { pk, sk, ...item } of indexEntries(tenant, Deliveries, ended).values())
        tx.write({ key: { pk, sk }, item });
    }
    await countFinished(tx, endpointId, 1);
  });
}
