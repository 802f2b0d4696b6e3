import * as v from 'valibot';
import type { QueueName } from '#lib/queues.ts';
import { entity } from '#lib/table/entity.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { tenantKey } from '#lib/tenant.ts';

const schema = v.object({
  /** Of the endpoint. */
  id: v.number(),
  /** The earliest time of anything that waits; null when nothing does. */
  at: v.nullable(v.string()),
  /** Nothing is sent before, the breaker being open. */
  notBefore: v.nullable(v.string()),
  isSlow: v.boolean(),
});

export type Wake = v.InferOutput<typeof schema>;

/** Slow endpoints have a queue of their own, so that they delay no quick one. */
export type Lane = Extract<QueueName, 'deliveries' | 'slow-deliveries'>;

export const laneOf = ({ isSlow }: Wake): Lane => (isSlow ? 'slow-deliveries' : 'deliveries');

/** To the millisecond: the shortest waits are shorter than a second. */
export const instant = (ms: number) => new Date(ms).toISOString();

/** When its queue is to be told, or null when nothing waits. */
export const dueAt = ({ at, notBefore }: Wake): string | null =>
  at === null || notBefore === null || at > notBefore ? at : notBefore;

export const newWake = (endpointId: number): Wake => ({ id: endpointId, at: null, notBefore: null, isSlow: false });

/**
 * When an endpoint has work. One wake-up for all its deliveries: what is due is read from the table, so a backlog of any
 * size costs one message.
 */
export const Wakes = entity({
  name: 'webhook-wake',
  schema,
  wakeUp: (wake, tenant) => {
    const at = dueAt(wake);
    const group = `${tenantKey(tenant)}/webhook/${wake.id}`;
    return at === null ? null : { at, queue: laneOf(wake), message: { endpointId: wake.id }, group };
  },
});

/** A query may for so long see one half of a transaction and not the other. */
const settlingMs = 1_000;

/**
 * Says that the endpoint has work: from `atMs` on when that was committed before, a moment later when it is committed with this.
 * Always written, so that a worker who is about to find nothing left is overtaken and looks again. Returns whether the endpoint
 * is still there.
 */
export async function touch(
  tx: Transaction,
  endpointId: number,
  atMs = Date.now() + settlingMs,
  change: Partial<Wake> = {},
): Promise<boolean> {
  const wake = await tx.find(Wakes, { id: endpointId });
  if (!wake) return false;
  const at = instant(atMs);
  tx.update(Wakes, { ...wake, ...change, at: wake.at !== null && wake.at < at ? wake.at : at });
  return true;
}
