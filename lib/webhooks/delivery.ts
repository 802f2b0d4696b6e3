import * as v from 'valibot';
import { dayMs, epochSeconds } from '#lib/clock.ts';
import { type EventKind, eventKinds } from '#lib/events/kinds.ts';
import { choice, paging, time, timeInput } from '#lib/schema.ts';
import { entity } from '#lib/table/entity.ts';

const kinds = Object.keys(eventKinds) as EventKind[];
const statuses = ['pending', 'retrying', 'succeeded', 'failed', 'skipped'] as const;

const shown = {
  id: v.number(),
  deliveryId: v.string(),
  endpointId: v.number(),
  eventKind: v.picklist(kinds),
  eventId: v.string(),
  status: v.picklist(statuses),
  attemptCount: v.number(),
  nextAttemptAt: v.nullable(time()),
  responseStatus: v.nullable(v.number()),
  responseBody: v.nullable(v.string()),
  error: v.nullable(v.string()),
  durationMs: v.nullable(v.number()),
  replayOfId: v.nullable(v.number()),
  createdAt: time(),
  completedAt: v.nullable(time()),
};

const attempt = {
  number: v.number(),
  startedAt: time(),
  durationMs: v.number(),
  responseStatus: v.nullable(v.number()),
  error: v.nullable(v.string()),
};

/** One event on its way to one endpoint (contract section 14). */
export const Delivery = v.pipe(v.object(shown), v.title('Delivery'));
export const DeliveryDetail = v.pipe(
  v.object({
    ...shown,
    /** Of the last attempt; null before the first. */
    requestHeaders: v.nullable(v.record(v.string(), v.string())),
    /** Null once the event is no longer kept. */
    requestBody: v.nullable(v.string()),
    attempts: v.array(v.object(attempt)),
  }),
  v.title('DeliveryDetail'),
);
export const TestedDelivery = v.pipe(v.object({ delivery: Delivery }), v.title('TestedDelivery'));

export const DeliveryQuery = v.object({
  ...paging,
  status: v.optional(choice(statuses)),
  eventKind: v.optional(choice(kinds)),
  since: v.optional(timeInput()),
  until: v.optional(timeInput()),
});

export const ReplayFailed = v.pipe(v.object({ since: timeInput() }), v.title('ReplayFailed'));
export const ReplayedFailed = v.pipe(v.object({ queued: v.number() }), v.title('ReplayedFailed'));

/** What an attempt needs to know; index entries keep it, so that a worker need not read the row. */
const due = {
  id: v.number(),
  deliveryId: v.string(),
  eventKind: v.picklist(kinds),
  /** Null for a test, which is not in the feed. */
  sequence: v.nullable(v.number()),
  subject: v.string(),
  attemptCount: v.number(),
  /** The UUID of the delivery that this one repeats. */
  replayOf: v.nullable(v.string()),
};
export const DueDelivery = v.object(due);
export type DueDelivery = v.InferOutput<typeof DueDelivery>;

const keptDays = 30;
const expiry = ({ createdAt }: { createdAt: string }) =>
  epochSeconds(new Date(new Date(createdAt).getTime() + keptDays * dayMs));

export const deliveriesOf = (endpointId: number) => `webhook/${endpointId}/delivery`;
/** First attempts that have yet to be made, in event order. */
export const pendingIndex = (endpointId: number) => `${endpointId}/status=pending`;
/** Further attempts in order of their time. */
export const retryIndex = (endpointId: number) => `${endpointId}/retry`;

/** What failed or was skipped and has not been replayed, oldest first; no tests. */
export const replayableIndex = (endpointId: number) => `${endpointId}/replayable`;

export const Deliveries = entity({
  name: 'delivery',
  schema: v.object({
    ...shown,
    ...due,
    /** To the millisecond. */
    nextAttemptAt: v.nullable(v.string()),
    attempts: v.array(v.object(attempt)),
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
  within: ({ endpointId }) => deliveriesOf(endpointId),
  indexes: (delivery) => {
    const { id, endpointId, eventKind, status, createdAt, isReplayed, nextAttemptAt } = delivery;
    const { deliveryId, sequence, subject, attemptCount, replayOf, body } = delivery;
    const isUnfinished = status === 'failed' || status === 'skipped';
    const copy = { id, deliveryId, eventKind, sequence, subject, attemptCount, replayOf };
    return [
      { name: `${endpointId}/kind=${eventKind}` },
      status === 'pending' && { name: pendingIndex(endpointId), copy },
      status === 'retrying' && { name: `${endpointId}/status=retrying` },
      status === 'retrying' && { name: retryIndex(endpointId), order: nextAttemptAt as string, copy },
      isUnfinished && { name: `${endpointId}/status=${status}` },
      isUnfinished &&
        !isReplayed &&
        body === null && { name: replayableIndex(endpointId), order: createdAt, copy: { id } },
    ];
  },
  expiresAtSeconds: expiry,
});

export type StoredDelivery = v.InferOutput<(typeof Deliveries)['schema']>;

/** Finds a delivery by its UUID, and keeps an event from being delivered twice to one endpoint. */
export const DeliveryIds = entity({
  name: 'delivery-id',
  schema: v.object({ deliveryId: v.string(), endpointId: v.number(), id: v.number(), createdAt: v.string() }),
  within: ({ endpointId }) => `webhook/${endpointId}/delivery-id`,
  sortKey: ({ deliveryId }) => deliveryId,
  expiresAtSeconds: expiry,
});
