import type { Entity, Item } from '#lib/table/entity.ts';
import { listPage } from '#lib/table/list.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { hasRoom } from './follower.ts';

/** Changes the rows under `contact=<id>` that match, while the transaction has room. Returns whether some may be left. */
export async function changeRowsOf<E extends Entity>(
  tx: Transaction,
  of: E,
  contactId: number,
  change: (row: Item<E>) => Item<E>,
  matches: (row: Item<E>) => boolean = () => true,
): Promise<boolean> {
  const { items, hasMore } = await listPage(tx, of, { indexes: [`contact=${contactId}`], limit: 25, matches });
  for (const row of items) {
    if (!hasRoom(tx)) return true;
    tx.update(of, change(row));
  }
  return hasMore;
}
