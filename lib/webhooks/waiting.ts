import { Dispatches } from '#lib/entities/webhook-dispatch.ts';
import { Healths } from '#lib/entities/webhook-health.ts';
import { listAll } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** While more than so many deliveries of an endpoint wait, further ones are skipped (contract, revision 1.3). */
export const maxWaiting = 100_000;

/** Counts deliveries that begin to wait for an endpoint, in its dispatch, which fan-out writes anyway. */
export async function countMade(tx: UnitOfWork, endpointId: number, by: number): Promise<void> {
  const dispatch = by === 0 ? undefined : await tx.find(Dispatches, { id: endpointId });
  if (dispatch) tx.update(Dispatches, { ...dispatch, made: dispatch.made + by });
}

/** Counts deliveries that no longer wait, in the endpoint's health, which its worker writes anyway. */
export async function countFinished(tx: UnitOfWork, endpointId: number, by: number): Promise<void> {
  const health = by === 0 ? undefined : await tx.find(Healths, { id: endpointId });
  if (health) tx.update(Healths, { ...health, finished: health.finished + by });
}

/** Returns how many deliveries wait, by endpoint: exactly where `more` would be too many, else an upper bound. */
export async function readWaiting(tx: UnitOfWork, more: number): Promise<Map<number, number>> {
  const dispatches = await listAll(tx, Dispatches);
  const counts = dispatches.map(async ({ id, made }): Promise<[number, number]> => {
    const finished = made + more > maxWaiting ? ((await tx.find(Healths, { id }))?.finished ?? 0) : 0;
    return [id, Math.max(0, made - finished)];
  });
  return new Map(await Promise.all(counts));
}
