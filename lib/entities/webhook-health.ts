import * as v from 'valibot';
import { count, id, storedLine, storedList, storedNumber, storedTime } from '#lib/schema.ts';
import { entity } from '#lib/table/entity.ts';

/**
 * How an endpoint answers, its breaker, and who delivers to it until when. One worker at a time holds the lease, so
 * that order, pace and the number in flight are kept inside one process. Only the holder writes here, and the calls
 * that reset it.
 */
export const Healths = entity({
  name: 'webhook-health',
  schema: v.object({
    /** Of the endpoint. */
    id: id(),
    consecutiveFailures: count(),
    /** The first failure since the last success. */
    failingSince: v.nullable(storedTime()),
    lastDeliveryAt: v.nullable(storedTime()),
    lastSuccessAt: v.nullable(storedTime()),
    /** Moving average of how long an attempt takes. */
    averageMs: storedNumber(),
    /** How often the breaker has opened since the last success, and until when it is open. */
    openings: count(),
    openUntilMs: storedNumber(),
    owner: v.nullable(storedLine(100)),
    leaseUntilMs: storedNumber(),
    /**
     * Deliveries whose next attempt has begun, written before it is made: whoever finds them after the death of a worker counts
     * that attempt, so that one whose outcome can never be written is not made for ever.
     */
    begun: v.optional(storedList(id(), 1000), []),
    /** How many deliveries ceased to wait since none did. */
    finished: v.optional(count(), 0),
  }),
});

export type Health = v.InferOutput<(typeof Healths)['schema']>;
