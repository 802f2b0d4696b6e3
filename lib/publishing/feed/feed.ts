import * as v from 'valibot';
import { now } from '#lib/core/clock.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import { Feed, type FeedEvent, sortableSequence } from '#lib/entities/feed-event.ts';
import { entityPartition } from '#lib/table/entity.ts';
import { identity } from '#lib/table/keys.ts';
import { maxPageBytes } from '#lib/table/list.ts';
import { type Meter, newMeter, pages, type Range } from '#lib/table/pages.ts';
import { type Row, readRow, readRows } from '#lib/table/rows.ts';
import { isExpired, readable } from '#lib/table/stored.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { Numbers, numbersKey } from './numbers.ts';

/** How long a query may still see one event and not another that was written with it. */
const settlingMs = 10_000;

/** So much of the feed is read for one answer at most, about 2,000 read units, however little a filter finds in it. */
const maxReadBytes = 8_000_000;
/** Bytes of an event outside its body. */
const overheadBytes = 300;

/** Some events of the feed, whether there are more, and the last sequence that was looked at. */
export interface FeedPage {
  items: FeedEvent[];
  hasMore: boolean;
  through: number;
  /** True if the events after the sequence have expired. */
  isExpired?: true;
}

/**
 * Events after a sequence, ascending, at most `limit` of those that `matches`. A page ends earlier where its events would be more
 * than an answer holds, and where a filter or the meter has read enough.
 * Numbers are given without holes, so a hole is what is just being written, or was only half seen: the page ends
 * before it, and no poller ever skips an event but one that cannot be read.
 */
export async function readFeed(
  tx: UnitOfWork,
  since: number,
  limit: number,
  matches?: (event: Pick<FeedEvent, 'event' | 'subject'>) => boolean,
  meter: Meter = newMeter(),
): Promise<FeedPage> {
  const items: FeedEvent[] = [];
  let previous = since;
  let shownBytes = 0;
  let readBytes = 0;
  for await (const page of pages({
    pk: entityPartition(tx.tenant, Feed),
    ascending: true,
    above: sortableSequence(since),
    limit: matches ? 1000 : Math.max(100, limit + 1),
    withExpired: true,
    meter,
  })) {
    for (const stored of page) {
      const sequence = Number(stored.sk);
      const isHole = sequence !== previous + 1;
      const isBeginning = previous === since && (isHole || isExpired(stored)) && !(await isKept(tx, since));
      if (isHole) {
        const mayBeHalfSeen = !isBeginning && isYoung(stored);
        if (mayBeHalfSeen || (await comeYet(tx.tenant, previous + 1, sequence - 1)))
          return { items, hasMore: false, through: previous };
      }
      if (isBeginning) return { items, hasMore: false, through: since, isExpired: true };
      // Before it is read, which for thousands of events would be most of the work.
      const isWanted = !isExpired(stored) && (!matches || matches(stored as Row & FeedEvent));
      const event = isWanted ? readable(Feed, stored) : undefined;
      const bytes = Buffer.byteLength(`${stored['body']}`);
      if (event) shownBytes += bytes;
      const isFull = event && (items.length === limit || (items.length > 0 && shownBytes > maxPageBytes));
      if (isFull || readBytes > maxReadBytes) return { items, hasMore: true, through: previous };
      previous = sequence;
      readBytes += bytes + overheadBytes;
      if (event) items.push(event);
    }
  }
  return { items, hasMore: meter.stoppedAt !== undefined, through: previous };
}

const isYoung = ({ timestamp }: Row) => now() - new Date(String(timestamp)).getTime() < settlingMs;

/** Whether something up to a sequence is still in the feed. */
async function isKept(tx: UnitOfWork, sequence: number): Promise<boolean> {
  const newest = await firstRow(tx, { below: sortableSequence(sequence + 1) });
  return newest !== undefined && !isExpired(newest);
}

/**
 * Whether events that are missing between two others are there by now, or will be. What a publisher writes last is read first: it
 * notes the numbers that it gives, writes the feed and then removes the rows.
 */
async function comeYet(tenant: Tenant, from: number, to: number): Promise<boolean> {
  const { open } = v.parse(Numbers, await readRow(numbersKey(tenant)));
  const given = open?.rows ?? [];
  const waiting = await readRows(given);
  const isOpen = given.some(({ first, ...place }) => {
    const row = waiting.get(identity(place));
    if (row === undefined || row['published'] !== undefined) return false;
    return first <= to && first + (Array.isArray(row['events']) ? row['events'].length : 0) > from;
  });
  if (isOpen) return true;
  const range = { pk: entityPartition(tenant, Feed), ascending: true, above: sortableSequence(from - 1), limit: 1 };
  for await (const [next] of pages(range)) return Number(next?.sk) <= to;
  return false;
}

/** The first row of a part of the feed, also one that has expired. */
async function firstRow(tx: UnitOfWork, range: Range): Promise<Row | undefined> {
  for await (const [row] of pages({ ...range, pk: entityPartition(tx.tenant, Feed), limit: 1, withExpired: true }))
    return row;
  return undefined;
}

const searchFanOut = 16;

/**
 * The oldest sequence that is still kept, or undefined where none is. Events expire in their order and are removed only days later, so
 * each round of single reads side by side leaves a sixteenth of the sequences.
 */
export async function oldestSequence(tx: UnitOfWork): Promise<number | undefined> {
  const firstFrom = (sequence: number) => firstRow(tx, { ascending: true, above: sortableSequence(sequence - 1) });
  const [first, newest] = await Promise.all([firstFrom(1), firstRow(tx, {})]);
  if (first === undefined || newest === undefined || isExpired(newest)) return undefined;
  if (!isExpired(first)) return Number(first.sk);
  // Nothing up to `low` is kept, and nothing from `high` on before `oldest` is there.
  let low = Number(first.sk);
  let oldest = Number(newest.sk);
  let high = oldest;
  while (low + 1 < high) {
    const step = Math.max(1, Math.ceil((high - low) / searchFanOut));
    const probes = Array.from({ length: searchFanOut }, (_, index) => low + (index + 1) * step);
    const within = probes.filter((probe) => probe < high);
    const rows = await Promise.all(within.map(firstFrom));
    for (const [index, probe] of within.entries()) {
      const row = rows[index];
      if (row && isExpired(row)) low = Math.max(low, Number(row.sk));
      else if (row && probe < high) [high, oldest] = [probe, Number(row.sk)];
    }
  }
  return oldest;
}
