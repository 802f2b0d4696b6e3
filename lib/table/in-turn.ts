import { tenantKey } from '../tenant.ts';
import { rowKey } from './keys.ts';
import { readRow } from './rows.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/**
 * Of units of work of a tenant that add to the same things, each must have seen what those before it added: to be called before
 * they are counted. One that was overtaken runs again.
 */
export async function inTurn(tx: UnitOfWork, of: string): Promise<void> {
  const key = rowKey('turn', { tenant: tenantKey(tx.tenant), of });
  const taken = (await readRow(key))?.['taken'];
  tx.write({ key, add: { taken: 1 }, if: taken === undefined ? { absent: ['taken'] } : { is: { taken } } });
}
