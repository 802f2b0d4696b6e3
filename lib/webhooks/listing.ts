import { Deliveries } from '#lib/entities/delivery.ts';
import { Healths } from '#lib/entities/webhook-health.ts';
import { transact } from '#lib/table/transact.ts';
import { system } from '#lib/tenant.ts';
import { requireLease } from './settle.ts';
import type { Turn } from './turn.ts';

/** Gives deliveries that wait for long an entry in the index, so that nobody has to look for them among all that came later. Throws LeaseLost. */
export const list = ({ tenant, endpointId, owner }: Turn, ids: readonly number[]): Promise<void> =>
  transact(tenant, system, async (tx) => {
    const [health, rows] = await Promise.all([
      tx.find(Healths, { id: endpointId }),
      tx.findAll(
        Deliveries,
        ids.map((id) => ({ endpointId, id })),
      ),
    ]);
    requireLease(health, owner);
    for (const row of rows) if (row.status === 'pending') tx.update(Deliveries, { ...row, isUnlisted: false });
  });
