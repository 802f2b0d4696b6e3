import { now } from '#lib/clock.ts';
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
 * Says that the endpoint has work that was committed before, so many new deliveries among it. Always written, so that a worker who
 * is about to find nothing left meets a write conflict and looks again.
 */
export async function dispatchNow(tx: UnitOfWork, endpointId: number, count = 0): Promise<void> {
  await countMade(tx, endpointId, count);
  const dispatch = await tx.find(Dispatches, { id: endpointId });
  if (dispatch) tx.update(Dispatches, { ...dispatch, at: earliest(dispatch.at, instant(now())) });
}

/** A query may for so long see one half of a transaction and not the other. */
const settlingMs = 1_000;

/** The same for work that is committed together with this: whoever looks now may not see it yet, so it is looked for a moment later. */
export async function dispatchSoon(tx: UnitOfWork, endpointId: number, change: Partial<Dispatch> = {}): Promise<void> {
  const dispatch = await tx.find(Dispatches, { id: endpointId });
  if (dispatch) tx.update(Dispatches, { ...dispatch, ...change, recheckAt: instant(now() + settlingMs) });
}
