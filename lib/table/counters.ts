import { tenantKey } from '#lib/core/tenant.ts';
import { type CounterOf, counterGroup, type Entity } from './entity.ts';
import { rowPartition } from './keys.ts';
import { type Meter, pages } from './pages.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** Sums by the name of the counter: `{ "lead/EUR": { count: 3 } }`. */
export type Sums = Map<string, Record<string, number>>;

/**
 * Returns the sums of a counter; `parts` fill the name of its group. One round trip. Not all of them where the meter has stopped.
 */
export const readCounters = <Of extends Entity>(
  tx: UnitOfWork,
  of: Of,
  counter: CounterOf<Of>,
  parts: Readonly<Record<string, string>> = {},
  meter?: Meter,
): Promise<Sums> => readGroup(tx, counterGroup(of, counter, parts), meter);

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
