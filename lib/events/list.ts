import * as v from 'valibot';
import { conflict } from '#lib/problem.ts';
import { choice, paging, queryInteger, time } from '#lib/schema.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { type FeedEvent, oldestSequence, readFeed } from './feed.ts';
import { type EventKind, eventKinds } from './kinds.ts';
import { untilPublished } from './published.ts';

const kinds = Object.keys(eventKinds) as EventKind[];

/** An event as webhooks deliver it (contract section 15). */
export const Event = v.pipe(
  v.object({
    event: v.picklist(kinds),
    id: v.string(),
    timestamp: time(),
    sequence: v.number(),
    livemode: v.boolean(),
    data: v.record(v.string(), v.unknown()),
  }),
  v.title('Event'),
);

export const EventQuery = v.object({
  since: v.optional(queryInteger(0)),
  limit: paging.limit,
  eventKind: v.optional(choice(kinds)),
});

/**
 * The events after a sequence, ascending, with all that was committed before; from the oldest one that is kept without it. With a
 * filter a page may be short, or empty, while there is more: `nextCursor` leads on. Raises 409 when events after `since` are no longer kept.
 */
export async function listEvents(tx: Transaction, { since, limit, eventKind }: v.InferOutput<typeof EventQuery>) {
  const matches = eventKind && ((event: FeedEvent) => event.event === eventKind);
  await untilPublished(tx.tenant);
  const [oldest = 1, fromSince] = await Promise.all([oldestSequence(tx), readFeed(tx, since ?? 0, limit, matches)]);
  if (since !== undefined && since < oldest - 1)
    throw conflict('cursor_expired', 'events after this sequence are no longer kept', { oldestSequence: oldest });
  const found = since === undefined && oldest > 1 ? await readFeed(tx, oldest - 1, limit, matches) : fromSince;
  const { items, hasMore, through } = found;
  const last = items.at(-1)?.sequence ?? (hasMore ? through : null);
  return { items: items.map(({ body }) => v.parse(Event, JSON.parse(body))), nextCursor: last, hasMore };
}
