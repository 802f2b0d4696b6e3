import { partition } from './keys.ts';
import { pages } from './list.ts';
import type { Transaction } from './transaction.ts';

/** The sums of a counter group by counter name (`Transaction.count` writes them): `{ "stage=lead": { count: 3 } }`. One round trip. */
export async function readCounters(tx: Transaction, group: string): Promise<Map<string, Record<string, number>>> {
  const sums = new Map<string, Record<string, number>>();
  for await (const page of pages({ pk: partition(tx.tenant, `count/${group}`), ascending: true })) {
    for (const { pk, sk, ...deltas } of page) {
      const name = (sk as string).slice(0, (sk as string).lastIndexOf('#'));
      const sum = sums.get(name) ?? {};
      for (const [attribute, value] of Object.entries(deltas)) sum[attribute] = (sum[attribute] ?? 0) + Number(value);
      sums.set(name, sum);
    }
  }
  return sums;
}
