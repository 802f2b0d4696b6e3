import * as v from 'valibot';
import { dayMs, epochSeconds } from '#lib/core/clock.ts';
import { choice, count, id, openChoice, paging, queryTime, storedChoice, time, timeInput } from '#lib/core/schema.ts';
import { eventKindNames } from '#lib/events/names.ts';
import { entity } from '#lib/table/entity.ts';

const statuses = ['pending', 'retrying', 'succeeded', 'failed', 'skipped'] as const;

const shown = {
  id: id(),
  deliveryId: v.string(),
  endpointId: id(),
  eventKind: openChoice<readonly string[]>(eventKindNames),
  eventId: v.string(),
  status: storedChoice(statuses),
  attemptCount: count(),
  nextAttemptAt: v.nullable(time()),
  responseStatus: v.nullable(count()),
  responseBody: v.nullable(v.string()),
  error: v.nullable(v.string()),
  durationMs: v.nullable(count()),
  replayOfId: v.nullable(id()),
  createdAt: time(),
  completedAt: v.nullable(time()),
};

/** Why an attempt failed (contract section 25). */
const errorClasses = ['dns', 'refused', 'tls', 'timeout', 'reset', 'too_large', 'status', 'blocked_address'] as const;
export type ErrorClass = (typeof errorClasses)[number];
const errorClass = () => v.nullable(storedChoice(errorClasses));

const attempt = {
  number: count(),
  startedAt: time(),
  durationMs: count(),
  responseStatus: v.nullable(count()),
  error: v.nullable(v.string()),
};

const Attempt = v.pipe(
  v.object({
    ...attempt,
    responseHeaders: v.pipe(
      v.record(v.string(), v.string()),
      v.examples([{ 'content-type': 'application/json', 'x-request-id': '6f1b9c1e4a3d' }]),
      v.title('AttemptHeaders'),
    ),
    errorClass: errorClass(),
  }),
  v.title('DeliveryAttempt'),
);

/** One event on its way to one endpoint (contract section 14). */
export const Delivery = v.pipe(v.object(shown), v.title('Delivery'));
export const DeliveryDetail = v.pipe(
  v.object({
    ...shown,
    /** Headers of the last attempt; null before the first. */
    requestHeaders: v.nullable(v.pipe(v.record(v.string(), v.string()), v.title('DeliveryHeaders'))),
    /** Null once the event is no longer kept. */
    requestBody: v.nullable(v.string()),
    attempts: v.array(Attempt),
  }),
  v.title('DeliveryDetail'),
);
export const TestedDelivery = v.pipe(v.object({ delivery: Delivery }), v.title('TestedDelivery'));

export const DeliveryQuery = v.object({
  ...paging,
  status: v.optional(choice(statuses)),
  eventKind: v.optional(choice(eventKindNames)),
  since: v.optional(queryTime()),
  until: v.optional(queryTime()),
});

export const ReplayFailed = v.pipe(
  v.object({ since: timeInput(), eventKind: v.optional(choice(eventKindNames)) }),
  v.title('ReplayFailed'),
);
export const ReplayedFailed = v.pipe(v.object({ queued: count() }), v.title('ReplayedFailed'));

/** Fields that an attempt needs; index entries hold them, so that a worker need not read the row. */
const due = {
  id: id(),
  deliveryId: v.string(),
  eventKind: openChoice<readonly string[]>(eventKindNames),
  /** Null for a test, which is not in the feed. */
  sequence: v.nullable(v.number()),
  subject: v.string(),
  attemptCount: count(),
  /** The UUID of the delivery that this one repeats. */
  replayOf: v.nullable(v.string()),
};
export const DueDelivery = v.object(due);
export type DueDelivery = v.InferOutput<typeof DueDelivery>;

const dueOf = ({ id, deliveryId, eventKind, sequence, subject, attemptCount, replayOf }: DueDelivery) => ({
  ...{ id, deliveryId, eventKind, sequence, subject, attemptCount, replayOf },
});

const keptDays = 30;
const expiry = ({ createdAt }: { createdAt: string }) =>
  epochSeconds(new Date(new Date(createdAt).getTime() + keptDays * dayMs));

/** An event on its way to an endpoint. */
export const Deliveries = entity({
  name: 'delivery',
  schema: v.object({
    ...shown,
    ...due,
    /** To the millisecond. */
    nextAttemptAt: v.nullable(v.string()),
    /** Time of the last failed attempt, to the millisecond: a resume after it makes the next one due. */
    failedAt: v.optional(v.nullable(v.string()), null),
    attempts: v.array(
      v.object({
        ...attempt,
        /** JSON: a receiver may call a header `constructor`, which is no name of a map in the table. */
        responseHeaders: v.optional(v.string(), '{}'),
        errorClass: v.optional(errorClass(), null),
      }),
    ),
    /** The signatures of the last attempt. */
    signed: v.nullable(
      v.object({
        timestamp: v.number(),
        simple: v.string(),
        previous: v.nullable(v.string()),
        standard: v.string(),
      }),
    ),
    /** Only of a test; otherwise the feed has it. */
    body: v.nullable(v.string()),
    /** Another delivery repeats this failed or skipped one. */
    isReplayed: v.boolean(),
  }),
  within: 'webhook/{endpointId}/delivery',
  indexes: {
    /**
     * Index of deliveries that have not succeeded. The ones under `pending` wait for their first attempt, in event
     * order.
     */
    status: {
      at: '{endpointId}/status={status}',
      of: ({ endpointId, status }) => status !== 'succeeded' && { endpointId, status },
      copy: (delivery) => (delivery.status === 'pending' ? dueOf(delivery) : undefined),
    },
    /** Further attempts in order of their time. */
    retry: {
      at: '{endpointId}/retry',
      of: ({ endpointId, status }) => status === 'retrying' && { endpointId },
      order: ({ nextAttemptAt }) => String(nextAttemptAt),
      copy: (delivery) => ({ ...dueOf(delivery), failedAt: delivery.failedAt }),
    },
    /** Index of failed and skipped deliveries that have not been replayed, oldest first; no tests. */
    replayable: {
      at: '{endpointId}/replayable',
      of: ({ endpointId, status, isReplayed, body }) =>
        (status === 'failed' || status === 'skipped') && !isReplayed && body === null && { endpointId },
      order: ({ createdAt }) => createdAt,
      copy: ({ id, eventKind }) => ({ id, eventKind }),
    },
  },
  expiresAtSeconds: expiry,
});

export type StoredDelivery = v.InferOutput<(typeof Deliveries)['schema']>;

/** Finds a delivery by its UUID, and keeps an event from being delivered twice to one endpoint. */
export const DeliveryIds = entity({
  name: 'delivery-id',
  schema: v.object({ deliveryId: v.string(), endpointId: id(), id: id(), createdAt: v.string() }),
  within: 'webhook/{endpointId}/delivery-id',
  sortKey: ({ deliveryId }) => deliveryId,
  expiresAtSeconds: expiry,
});
