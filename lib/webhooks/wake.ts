import { earliest, type Wake, Wakes } from '#lib/entities/webhook-wake.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** To the millisecond: the shortest waits are shorter than a second. */
export const instant = (ms: number) => new Date(ms).toISOString();

export const newWake = (endpointId: number): Wake => ({
  id: endpointId,
  at: null,
  lookAt: null,
  notBefore: null,
  isSlow: false,
});

/**
 * Says that the endpoint has work that was committed before. Always written, so that a worker who is about to find nothing left
 * is overtaken and looks again.
 */
export async function wakeNow(tx: UnitOfWork, endpointId: number): Promise<void> {
  const wake = await tx.find(Wakes, { id: endpointId });
  if (wake) tx.update(Wakes, { ...wake, at: earliest(wake.at, instant(Date.now())) });
}

/** A query may for so long see one half of a transaction and not the other. */
const settlingMs = 1_000;

/** The same for work that is committed together with this: whoever looks now may not see it yet, so it is looked for a moment later. */
export async function wakeSoon(tx: UnitOfWork, endpointId: number, change: Partial<Wake> = {}): Promise<void> {
  const wake = await tx.find(Wakes, { id: endpointId });
  if (wake) tx.update(Wakes, { ...wake, ...change, lookAt: instant(Date.now() + settlingMs) });
}
