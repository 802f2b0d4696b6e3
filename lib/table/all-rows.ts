import type { Tenant } from '#lib/core/tenant.ts';
import { type Entity, parentOf, partitionOf } from './entity.ts';
import { rowKey, scopeKey } from './keys.ts';
import { pages } from './pages.ts';
import { type Row, readRow } from './rows.ts';

/** A place among the rows of an entity: behind a sort key of one of its partitions. */
export interface Place {
  partition: number;
  after: string | null;
}

const sideBySide = 32;
/** Number of empty partitions in a row after which one go ends. */
const maxEmpty = 320;

/** A row, and the place behind it. */
interface Placed {
  row: Row;
  place: Place;
}

/** Some rows of an entity behind a place, and the place behind them; no place when these are the last. */
export async function someRows(
  tenant: Tenant,
  of: Entity,
  { partition, after }: Place,
  limit: number,
): Promise<{ rows: Placed[]; next: Place | undefined }> {
  const count = await countPartitions(tenant, of);
  for (let first = partition; first < count; first += sideBySide) {
    if (first >= partition + maxEmpty) return { rows: [], next: { partition: first, after: null } };
    const numbers = Array.from({ length: Math.min(sideBySide, count - first) }, (_, index) => first + index);
    const looks = await Promise.all(
      numbers.map((number) =>
        firstRows(partitionOf(tenant, of, number), number === partition ? (after ?? undefined) : undefined, limit),
      ),
    );
    const rows: Placed[] = [];
    for (const [index, { found, isWhole }] of looks.entries()) {
      const number = first + index;
      rows.push(...found.map((row) => ({ row, place: { partition: number, after: row.sk } })));
      if (!isWhole) return { rows, next: rows.at(-1)?.place };
    }
    const next = first + sideBySide < count ? { partition: first + sideBySide, after: null } : undefined;
    if (rows.length > 0 || next === undefined) return { rows, next };
  }
  return { rows: [], next: undefined };
}

/** The first rows of a partition: whether they are all of it, is known where they are fewer than were asked for. */
async function firstRows(pk: string, above: string | undefined, limit: number) {
  const found: Row[] = [];
  for await (const page of pages({ pk, ascending: true, above, limit })) {
    // A page of large rows is cut off: a second one is read only to see whether there is any.
    const isSecond = found.length > 0;
    found.push(...page);
    if (isSecond || found.length >= limit) return { found, isWhole: false };
  }
  return { found, isWhole: true };
}

/** Where an entity lies in several partitions, there is one for each id of its parent, whether there is such a one or not. */
async function countPartitions(tenant: Tenant, of: Entity): Promise<number> {
  if (of.partitionKey !== undefined) throw new Error(`nobody knows where every ${of.name} lies`);
  if (of.within === undefined) return 1;
  const ids = await readRow(rowKey('ids', { scope: scopeKey(tenant, of) }));
  return Number(ids?.[parentOf(of)] ?? 0) + 1;
}
