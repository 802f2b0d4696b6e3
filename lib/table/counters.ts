import { tenantKey } from '../tenant.ts';
import { allRows } from './all-rows.ts';
import { isComplete } from './completeness.ts';
import { type CounterOf, countedOf, counterGroup, counterSince, type Entity } from './entity.ts';
import { rowPartition } from './keys.ts';
import { type Meter, pages } from './pages.ts';
import { readable } from './stored.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** Sums by the name of the counter: `{ "lead/EUR": { count: 3 } }`. */
export type Sums = Map<string, Record<string, number>>;

/**
 * The sums of a counter that entities declare under the same name; `parts` fill the name of its group. One round trip. Not all of
 * them where the meter has stopped.
 */
export async function readCounters<const Of extends readonly [Entity, ...Entity[]]>(
  tx: UnitOfWork,
  entities: Of,
  counter: CounterOf<Of[number]>,
  parts: Readonly<Record<string, string>> = {},
  meter?: Meter,
): Promise<Sums> {
  const group = counterGroup(entities[0], counter, parts);
  const areComplete = await Promise.all(entities.map((of) => isComplete(tx.tenant, of, counterSince(of, counter))));
  return areComplete.every(Boolean) ? readGroup(tx, group, meter) : sumRows(tx, entities, group);
}

/** The sums that a group will have, from the rows themselves, as long as it does not have them all. */
async function sumRows(tx: UnitOfWork, entities: readonly Entity[], group: string): Promise<Sums> {
  const sums: Sums = new Map();
  for (const of of entities) {
    for await (const stored of allRows(tx.tenant, of)) {
      const item = readable(of, stored);
      const counted = item === undefined ? [] : countedOf(of, item);
      for (const one of counted) if (one.group === group) addTo(sums, one.name, one.add);
    }
  }
  return sums;
}

/** The sums of a group that `UnitOfWork.count` writes. One round trip. */
export async function readGroup(tx: UnitOfWork, group: string, meter?: Meter): Promise<Sums> {
  const sums: Sums = new Map();
  const pk = rowPartition('counter', { tenant: tenantKey(tx.tenant), group });
  for await (const page of pages({ pk, ascending: true, ...(meter && { meter }) })) {
    for (const { pk, sk, ...deltas } of page) addTo(sums, sk.slice(0, sk.lastIndexOf('#')), deltas);
  }
  return sums;
}

function addTo(sums: Sums, name: string, deltas: Readonly<Record<string, unknown>>): void {
  const sum = sums.get(name) ?? {};
  for (const [attribute, value] of Object.entries(deltas)) sum[attribute] = (sum[attribute] ?? 0) + Number(value);
  sums.set(name, sum);
}
