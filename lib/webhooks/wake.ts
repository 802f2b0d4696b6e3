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
  /** When to look again, whatever was found before. */
  lookAt: v.nullable(v.string()),
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
export function dueAt({ at, lookAt, notBefore }: Wake): string | null {
  const due = earliest(at, lookAt);
  return due === null || notBefore === null || due > notBefore ? due : notBefore;
}

const earliest = (a: string | null, b: string | null): string | null =>
  a === null || b === null ? (a ?? b) : a < b ? a : b;

export const newWake = (endpointId: number): Wake => ({
  id: endpointId,
  at: null,
  lookAt: null,
  notBefore: null,
  isSlow: false,
});

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

/**
 * Says that the endpoint has work that was committed before. Always written, so that a worker who is about to find nothing left
 * is overtaken and looks again.
 */
export async function wakeNow(tx: Transaction, endpointId: number): Promise<void> {
  const wake = await tx.find(Wakes, { id: endpointId });
  if (wake) tx.update(Wakes, { ...wake, at: earliest(wake.at, instant(Date.now())) });
}

/** A query may for so long see one half of a transaction and not the other. */
const settlingMs = 1_000;

/** The same for work that is committed together with this: whoever looks now may not see it yet, so it is looked for a moment later. */
export async function wakeSoon(tx: Transaction, endpointId: number, change: Partial<Wake> = {}): Promise<void> {
  const wake = await tx.find(Wakes, { id: endpointId });
  if (wake) tx.update(Wakes, { ...wake, ...change, lookAt: instant(Date.now() + settlingMs) });
}
