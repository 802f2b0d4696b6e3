import type { Tenant } from '../tenant.ts';
import { type Entity, entityPartition, fieldsWithin, type Item, partitionOf } from './entity.ts';
import { rowKey, scopeKey } from './keys.ts';
import { pages } from './pages.ts';
import { type Row, readRow } from './rows.ts';

/** A place among the rows of an entity: behind a sort key of one of its partitions. */
export interface Place {
  partition: number;
  after: string | null;
}

const sideBySide = 32;
/** So many partitions in a row in which there is nothing are enough for one go. */
const maxEmpty = 200;

/** Every stored row of an entity, in no order; of one partition where `within` fills its name. */
export async function* allRows<E extends Entity>(
  tenant: Tenant,
  of: E,
  within?: Partial<Item<E>>,
): AsyncGenerator<Row> {
  if (within) return yield* rowsIn(entityPartition(tenant, of, within));
  const count = await countPartitions(tenant, of);
  for (let first = 0; first < count; first += sideBySide) {
    const numbers = Array.from({ length: Math.min(sideBySide, count - first) }, (_, index) => first + index);
    const found = await Promise.all(numbers.map((number) => collected(rowsIn(partitionOf(tenant, of, number)))));
    yield* found.flat();
  }
}

async function collected(rows: AsyncIterable<Row>): Promise<Row[]> {
  const all: Row[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

async function* rowsIn(pk: string): AsyncGenerator<Row> {
  for await (const page of pages({ pk, ascending: true })) yield* page;
}

/** Some rows of an entity behind a place, and the place behind them; no place when these are the last. */
export async function someRows(
  tenant: Tenant,
  of: Entity,
  { partition, after }: Place,
  limit: number,
): Promise<{ rows: Row[]; next: Place | undefined }> {
  const count = await countPartitions(tenant, of);
  for (let number = partition; number < count; number += 1) {
    if (number === partition + maxEmpty) return { rows: [], next: { partition: number, after: null } };
    const above = number === partition ? (after ?? undefined) : undefined;
    for await (const rows of pages({ pk: partitionOf(tenant, of, number), ascending: true, above, limit }))
      return { rows, next: { partition: number, after: rows.at(-1)?.sk ?? null } };
  }
  return { rows: [], next: undefined };
}

/** Where an entity lies in several partitions, there is one for each id of its parent, whether there is such a one or not. */
async function countPartitions(tenant: Tenant, of: Entity): Promise<number> {
  if (of.partitionKey !== undefined) throw new Error(`nobody knows where every ${of.name} lies`);
  if (of.within === undefined) return 1;
  const [field] = fieldsWithin(of);
  const named = of.references?.find((reference) => reference.field === field)?.to;
  const parent = named ?? String(of.within.split('/')[0]);
  const ids = await readRow(rowKey('ids', { scope: scopeKey(tenant, of) }));
  return Number(ids?.[parent] ?? 0) + 1;
}
