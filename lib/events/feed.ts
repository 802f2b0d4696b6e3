import * as v from 'valibot';
import { dayMs, epochSeconds } from '#lib/clock.ts';
import { entity, entityPartition } from '#lib/table/entity.ts';
import { pages } from '#lib/table/list.ts';
import type { Transaction } from '#lib/table/transaction.ts';

const keptDays = 30;
const sortableSequence = (sequence: number) => String(sequence).padStart(12, '0');

/** An event with its number, as `GET /v1/events` lists it and webhooks deliver it: `body` is the exact JSON text. */
export const Feed = entity({
  name: 'feed',
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

/** How long a query may still see one row of a transaction and not another. */
const settlingMs = 10_000;

/** A filter looks at so many events at most for one answer. */
const maxScanned = 5_000;

/**
 * Events after a sequence, ascending, at most `limit` of those that `matches`, whether there are more, and the last sequence that
 * was looked at. Numbers are given without holes, so a hole between young events is a transaction that the query saw half of: the page ends before it, and no poller
 * ever skips an event.
 */
export async function readFeed(
  tx: Transaction,
  since: number,
  limit: number,
  matches?: (event: FeedEvent) => boolean,
): Promise<{ items: FeedEvent[]; hasMore: boolean; through: number }> {
  const items: FeedEvent[] = [];
  let previous = since;
  let scanned = 0;
  for await (const page of pages({
    pk: entityPartition(tx.tenant, Feed),
    ascending: true,
    above: sortableSequence(since),
    limit: matches ? 1000 : Math.max(100, limit + 1),
  })) {
    for (const stored of page) {
      const event = v.parse(Feed.schema, stored);
      const isYoung = Date.now() - new Date(event.timestamp).getTime() < settlingMs;
      if (event.sequence !== previous + 1 && isYoung) return { items, hasMore: false, through: previous };
      const isWanted = !matches || matches(event);
      if ((isWanted && items.length === limit) || scanned === maxScanned)
        return { items, hasMore: true, through: previous };
      previous = event.sequence;
      scanned += 1;
      if (isWanted) items.push(event);
    }
  }
  return { items, hasMore: false, through: previous };
}

/** The oldest sequence that is still kept, or undefined for an empty feed. */
export async function oldestSequence(tx: Transaction): Promise<number | undefined> {
  for await (const page of pages({ pk: entityPartition(tx.tenant, Feed), ascending: true, limit: 1 }))
    return page[0]?.['sequence'] as number;
  return undefined;
}
