import * as v from 'valibot';
import { count, id, time } from '#lib/core/schema.ts';
import { entity } from '#lib/table/entity.ts';

/** The attempts of an hour: successes by how long they took, in the steps of lib/webhooks/hours.ts. */
const HealthHour = v.object({
  /** Hours since 1970. */
  hour: v.number(),
  failed: count(),
  took: v.array(count()),
});
export type HealthHour = v.InferOutput<typeof HealthHour>;

/** How the attempts of 24 hours to an endpoint went. */
export const EndpointDay = v.pipe(
  v.object({
    endpointId: id(),
    succeeded: count(),
    failed: count(),
    /** Time within which 95 % of the successes came; null without one. */
    p95Ms: v.nullable(count()),
    /** The last 24 hours, oldest first. */
    hours: v.array(v.pipe(v.object({ at: time(), succeeded: count(), failed: count() }), v.title('EndpointHour'))),
  }),
  v.title('EndpointDay'),
);

/**
 * How an endpoint answers, its breaker, and who delivers to it until when. One worker at a time holds the lease, so
 * that order, pace and the number in flight are kept inside one process. Only the holder writes here, and the calls
 * that reset it.
 */
export const Healths = entity({
  name: 'webhook-health',
  schema: v.object({
    /** Id of the endpoint. */
    id: id(),
    consecutiveFailures: count(),
    /** The first failure since the last success. */
    failingSince: v.nullable(v.string()),
    lastDeliveryAt: v.nullable(v.string()),
    lastSuccessAt: v.nullable(v.string()),
    /** Moving average of how long an attempt takes. */
    averageMs: v.number(),
    /** Attempts of the last 24 hours that had any, oldest first. */
    hours: v.optional(v.array(HealthHour), []),
    /** How often the breaker has opened since the last success, and until when it is open. */
    openings: count(),
    openUntilMs: v.number(),
    /** When its pause was ended last, to the millisecond: further attempts that waited then are due. */
    resumedAt: v.optional(v.nullable(v.string()), null),
    owner: v.nullable(v.string()),
    leaseUntilMs: v.number(),
    /**
     * Deliveries whose next attempt has begun, written before it is made: whoever finds them after the death of a worker counts
     * that attempt, so that one whose outcome can never be written is not made for ever.
     */
    begun: v.array(id()),
    /** How many deliveries ceased to wait since none did. */
    finished: count(),
  }),
});

export type Health = v.InferOutput<(typeof Healths)['schema']>;
