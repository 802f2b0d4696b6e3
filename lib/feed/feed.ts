import * as v from 'valibot';
import { Feed, type FeedEvent, sortableSequence } from '#lib/entities/feed-event.ts';
import { entityPartition, keyOf } from '#lib/table/entity.ts';
import { identity } from '#lib/table/keys.ts';
import { maxPageBytes } from '#lib/table/list.ts';
import { pages } from '#lib/table/pages.ts';
import { readRows } from '#lib/table/rows.ts';
import { isAbsent, readable } from '#lib/table/stored.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import type { Tenant } from '#lib/tenant.ts';
import { Numbers, numbersKey } from './numbers.ts';

/** How long a query may still see one event and not another that was written with it. */
const settlingMs = 10_000;

/** So much of the feed is read for one answer at most, about 2,000 read units, however little a filter finds in it. */
const maxReadBytes = 8_000_000;
/** What an event has beside its body. */
const overheadBytes = 300;

/**
 * Events after a sequence, ascending, at most `limit` of those that `matches`, whether there are more, and the last sequence that
 * was looked at. A page ends earlier where its events would be more than an answer holds, and where a filter has read enough.
 * Numbers are given without holes, so a hole is what is just being written, or was only half seen: the page ends
 * before it, and no poller ever skips an event but one that cannot be read.
 */
export async function readFeed(
  tx: UnitOfWork,
  since: number,
  limit: number,
  matches?: (event: FeedEvent) => boolean,
): Promise<{ items: FeedEvent[]; hasMore: boolean; through: number }> {
  const items: FeedEvent[] = [];
  let previous = since;
  let shownBytes = 0;
  let readBytes = 0;
  for await (const page of pages({
    pk: entityPartition(tx.tenant, Feed),
    ascending: true,
    above: sortableSequence(since),
    limit: matches ? 1000 : Math.max(100, limit + 1),
  })) {
    for (const stored of page) {
      const event = readable(Feed, stored);
      if (event === undefined) {
        previous = Number(stored.sk);
        continue;
      }
      if (event.sequence !== previous + 1 && (await isBeingFilled(tx.tenant, previous + 1, event)))
        return { items, hasMore: false, through: previous };
      const isWanted = !matches || matches(event);
      const bytes = Buffer.byteLength(event.body);
      if (isWanted) shownBytes += bytes;
      const isFull = isWanted && (items.length === limit || (items.length > 0 && shownBytes > maxPageBytes));
      if (isFull || readBytes > maxReadBytes) return { items, hasMore: true, through: previous };
      previous = event.sequence;
      readBytes += bytes + overheadBytes;
      if (isWanted) items.push(event);
    }
  }
  return { items, hasMore: false, through: previous };
}

/** Whether events that are missing from a number on to before this one are there by now, or will be. */
async function isBeingFilled(tenant: Tenant, from: number, { sequence, timestamp }: FeedEvent): Promise<boolean> {
  if (Date.now() - new Date(timestamp).getTime() < settlingMs) return true;
  const missing = [from, sequence - 1].map((one) => keyOf(tenant, Feed, { sequence: one }));
  const found = await readRows([numbersKey(tenant), ...missing]);
  const isThere = missing.some((key) => {
    const row = found.get(identity(key));
    return row !== undefined && !isAbsent(row);
  });
  const { open } = v.parse(Numbers, found.get(identity(numbersKey(tenant))));
  if (isThere || open === undefined) return isThere;
  const waiting = await readRows(open.rows);
  return open.rows.some(({ first, ...place }) => {
    const row = waiting.get(identity(place));
    if (row === undefined || row['published'] !== undefined) return false;
    return first < sequence && first + (Array.isArray(row['events']) ? row['events'].length : 0) > from;
  });
}

/** The oldest sequence that is still kept, or undefined for an empty feed. */
export async function oldestSequence(tx: UnitOfWork): Promise<number | undefined> {
  for await (const page of pages({ pk: entityPartition(tx.tenant, Feed), ascending: true, limit: 1 }))
    return page[0]?.['sequence'] as number;
  return undefined;
}
