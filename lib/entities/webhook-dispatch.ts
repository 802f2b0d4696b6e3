import * as v from 'valibot';
import type { QueueName } from '#lib/core/queues.ts';
import { count, id } from '#lib/core/schema.ts';
import { tenantKey } from '#lib/core/tenant.ts';
import { entity } from '#lib/table/entity.ts';

const schema = v.object({
  /** Id of the endpoint. */
  id: id(),
  /** The earliest time of anything that waits; null when nothing does. */
  at: v.nullable(v.string()),
  /** When what waits is to be read again, whatever was found before. */
  recheckAt: v.nullable(v.string()),
  /** Nothing is sent before, the breaker being open. */
  notBefore: v.nullable(v.string()),
  isSlow: v.boolean(),
  /** How many deliveries began to wait since none did. */
  made: count(),
});

export type Dispatch = v.InferOutput<typeof schema>;

/** Slow endpoints have a queue of their own, so that they delay no quick one. */
export type Lane = Extract<QueueName, 'deliveries' | 'slow-deliveries'>;

export const laneOf = ({ isSlow }: Dispatch): Lane => (isSlow ? 'slow-deliveries' : 'deliveries');

/** When its message is due, or null when nothing waits. */
export function dueAt({ at, recheckAt, notBefore }: Dispatch): string | null {
  const due = earliest(at, recheckAt);
  return due === null || notBefore === null || due > notBefore ? due : notBefore;
}

export const earliest = (a: string | null, b: string | null): string | null =>
  a === null || b === null ? (a ?? b) : a < b ? a : b;

/**
 * When the worker of an endpoint is due, and in which lane. One timer for all its deliveries: what is due is read
 * from the table, so a backlog of any size costs one message.
 */
export const Dispatches = entity({
  name: 'webhook-dispatch',
  schema,
  timer: (dispatch, tenant) => {
    const at = dueAt(dispatch);
    const group = `${tenantKey(tenant)}/webhook/${dispatch.id}`;
    return at === null ? null : { at, queue: laneOf(dispatch), message: { endpointId: dispatch.id }, group };
  },
});
