import { daysBetween, monthOf } from '../clock.ts';
import { badRequest } from '../problem.ts';
import { isComplete } from './completeness.ts';
import { type Entity, entriesPartition, indexSince } from './entity.ts';
import type { EntryRow } from './entries.ts';
import { isSpent, type Meter, newMeter, pages, type Range, stop } from './pages.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** Sums a range with one meter for all that it reads. Raises 400 `range_too_large` where that is more than one call may read. */
export async function summing<Result>(sum: (meter: Meter) => Promise<Result>): Promise<Result> {
  const meter = newMeter();
  const result = await sum(meter);
  if (meter.stoppedAt !== undefined)
    throw badRequest('range_too_large', 'the range has too much in it to be summed: ask for a shorter one');
  return result;
}

/**
 * The entries of a time range, in no order, from an index by `month` that is sorted by time. Until the workspace is reindexed some are
 * in the index by day of an older version: that is read first, and what moves meanwhile is found where it has moved to.
 */
export async function eachInRange(
  tx: UnitOfWork,
  of: Entity,
  { from, to }: { from: string; to: string },
  meter: Meter,
  take: (entry: EntryRow) => void,
): Promise<void> {
  const days = daysBetween(from, to);
  const found = new Set<string>();
  const takeNew = (entry: EntryRow) => {
    const { sk } = entry.of;
    if (!found.has(sk)) take(entry);
    found.add(sk);
  };
  const within = (name: string, range: Range = {}) =>
    pages({ pk: entriesPartition(tx.tenant, of, name), ascending: true, meter, ...range }) as AsyncIterable<EntryRow[]>;
  const isWhole = await isComplete(tx.tenant, of, indexSince(of, 'month'));
  if (!isWhole) {
    await eachPage(
      days,
      meter,
      (day) => within(`day=${day}`),
      (page) => {
        for (const entry of page) if (from <= `${entry['at']}` && `${entry['at']}` <= to) takeNew(entry);
      },
    );
  }
  const months = [...new Set(days.map(monthOf))];
  // Keys are `<time>#…`: the bare time is before all of that time, and `~` behind.
  await eachPage(
    months,
    meter,
    (month) => within(`month=${month}`, { above: from, below: `${to}~` }),
    (page) => page.forEach(isWhole ? take : takeNew),
  );
}

/** So many queries are under way at a time. */
const maxQueries = 16;

/** The pages of a query for each part of a range, in no order; no more of them when the meter has nothing left. */
export async function eachPage<Part>(
  parts: readonly Part[],
  meter: Meter,
  query: (part: Part) => AsyncIterable<EntryRow[]>,
  take: (page: EntryRow[]) => void,
): Promise<void> {
  const left = [...parts];
  const readNext = async () => {
    for (let part = left.pop(); part !== undefined; part = left.pop()) {
      if (isSpent(meter)) return stop(meter, '');
      for await (const page of query(part)) take(page);
    }
  };
  await Promise.all(Array.from({ length: maxQueries }, readNext));
}
