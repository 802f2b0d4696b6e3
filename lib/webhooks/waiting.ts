import { readGroup } from '#lib/table/counters.ts';
import { counterKey } from '#lib/table/keys.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** While more than so many deliveries of an endpoint wait, further ones are skipped (contract, revision 1.3). */
export const maxWaiting = 100_000;

const group = 'webhook-waiting';

/** Who makes deliveries and who finishes them write to rows of their own, so that they never meet. */
const sides = { made: 0, finished: 1 };

/** Counts deliveries that begin (or cease, negative) to wait for an endpoint, in the transaction that makes them so. */
export function countWaiting(tx: UnitOfWork, endpointId: number, by: number, side: keyof typeof sides): void {
  if (by !== 0) tx.count(group, String(endpointId), { waiting: by }, sides[side]);
}

/** How many deliveries wait, by endpoint. One round trip. */
export async function readWaiting(tx: UnitOfWork): Promise<Map<number, number>> {
  const sums = await readGroup(tx, group);
  return new Map([...sums].map(([endpointId, { waiting = 0 }]) => [Number(endpointId), waiting]));
}

/** Removes what was counted for a deleted endpoint. */
export function forgetWaiting(tx: UnitOfWork, endpointId: number): void {
  for (const side of Object.values(sides))
    tx.write({ key: counterKey(tx.tenant, group, String(endpointId), side), item: null });
}
