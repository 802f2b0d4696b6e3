import { type Entity, entityPartition, type Item } from './entity.ts';
import { sortableId } from './keys.ts';
import { pages } from './pages.ts';
import type { Row } from './rows.ts';
import type { UnitOfWork } from './unit-of-work.ts';

const fanOut = 16;

/**
 * The highest id in a partition that was made by a time, or 0: ids rise with `createdAt`, so each round of single reads side by
 * side leaves a sixteenth of the ids. Exact to the rows that exist.
 */
export async function lastIdBy<E extends Entity>(
  tx: UnitOfWork,
  of: E,
  within: Partial<Item<E>>,
  time: string,
): Promise<number> {
  const pk = entityPartition(tx.tenant, of, within);
  /** The newest row whose id is at most this. */
  const newest = async (id?: number) => {
    const below = id === undefined ? undefined : sortableId(id + 1);
    for await (const [row] of pages({ pk, below, limit: 1, withExpired: true }))
      return row as (Row & { id: number; createdAt: string }) | undefined;
    return undefined;
  };
  // Every id up to `low` was made by the time, every row above `high` after it.
  const last = await newest();
  if (last === undefined || last.createdAt <= time) return last?.id ?? 0;
  let low = 0;
  let high = last.id - 1;
  while (low < high) {
    const step = Math.max(1, Math.ceil((high - low) / fanOut));
    const probes = Array.from({ length: fanOut }, (_, index) => low + (index + 1) * step).filter((id) => id <= high);
    if (probes.at(-1) !== high) probes.push(high);
    const rows = await Promise.all(probes.map(newest));
    for (const [index, probe] of probes.entries()) {
      const row = rows[index];
      if (row === undefined || row.createdAt <= time) low = Math.max(low, probe);
      else high = Math.min(high, row.id - 1);
    }
  }
  return low;
}
