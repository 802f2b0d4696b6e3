import { now } from '#lib/core/clock.ts';
import { type Dispatch, Dispatches, earliest } from '#lib/entities/webhook-dispatch.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { countMade } from './waiting.ts';

/** To the millisecond: the shortest waits are shorter than a second. */
export const instant = (ms: number) => new Date(ms).toISOString();

export const newDispatch = (endpointId: number): Dispatch => ({
  id: endpointId,
  at: null,
  recheckAt: null,
  notBefore: null,
  isSlow: false,
  made: 0,
});

/**
 * Wakes an endpoint for work that is already committed, `count` new deliveries among it. Writes in any case, so that a worker that is
 * about to find nothing left meets a write conflict and looks again.
 */
export async function dispatchNow(tx: UnitOfWork, endpointId: number, count = 0): Promise<void> {
  await countMade(tx, endpointId, count);
  const dispatch = await tx.find(Dispatches, { id: endpointId });
  if (dispatch) tx.update(Dispatches, { ...dispatch, at: earliest(dispatch.at, instant(now())) });
}

/** A query may see half of a transaction for so long. */
const settlingMs = 1_000;

/** Wakes an endpoint for work of this transaction: a moment later, because a worker that reads now may not see it yet. */
export async function dispatchSoon(tx: UnitOfWork, endpointId: number, change: Partial<Dispatch> = {}): Promise<void> {
  const dispatch = await tx.find(Dispatches, { id: endpointId });
  if (dispatch) tx.update(Dispatches, { ...dispatch, ...change, recheckAt: instant(now() + settlingMs) });
}
