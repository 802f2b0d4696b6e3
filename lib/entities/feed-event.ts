import * as v from 'valibot';
import { dayMs, epochSeconds } from '#lib/core/clock.ts';
import { entity } from '#lib/table/entity.ts';

const keptDays = 30;
export const sortableSequence = (sequence: number) => String(sequence).padStart(12, '0');

/** An event with its number, as `GET /v1/events` and every delivery show it. `body` is the exact JSON text. */
export const Feed = entity({
  name: 'event',
  schema: v.object({
    sequence: v.number(),
    event: v.string(),
    id: v.string(),
    timestamp: v.string(),
    subject: v.string(),
    /** To the millisecond, for the latency of deliveries. */
    committedAt: v.string(),
    body: v.string(),
  }),
  sortKey: ({ sequence }) => sortableSequence(sequence),
  expiresAtSeconds: ({ timestamp }) => epochSeconds(new Date(new Date(timestamp).getTime() + keptDays * dayMs)),
});

export type FeedEvent = v.InferOutput<(typeof Feed)['schema']>;
