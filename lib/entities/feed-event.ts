import * as v from 'valibot';
import { dayMs, epochSeconds } from '#lib/clock.ts';
import { storedInstant, storedInteger, storedLine, storedText, storedTime } from '#lib/schema.ts';
import { entity } from '#lib/table/entity.ts';

const keptDays = 30;
export const sortableSequence = (sequence: number) => String(sequence).padStart(12, '0');

/** An event with its number, as `GET /v1/events` and every delivery show it. `body` is the exact JSON text. */
export const Feed = entity({
  name: 'event',
  storedAs: 'feed',
  schema: v.object({
    sequence: storedInteger(1),
    event: storedLine(100),
    id: storedLine(100),
    timestamp: storedTime(),
    subject: storedLine(200),
    /** To the millisecond, for the latency of deliveries. */
    committedAt: storedInstant(),
    body: storedText(400_000),
  }),
  sortKey: ({ sequence }) => sortableSequence(sequence),
  expiresAtSeconds: ({ timestamp }) => epochSeconds(new Date(new Date(timestamp).getTime() + keptDays * dayMs)),
});

export type FeedEvent = v.InferOutput<(typeof Feed)['schema']>;
