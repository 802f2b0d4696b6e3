import { daysBetween, monthOf } from '#lib/core/clock.ts';
import { badRequest } from '#lib/core/problem.ts';
import { type Entity, entriesPartition } from './entity.ts';
import type { EntryRow } from './entries.ts';
import { isSpent, type Meter, newMeter, pages, stop } from './pages.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** Sums a range with one meter for all that it reads. Raises 400 `range_too_large` where that is more than one call may read. */
export async function summing<Result>(sum: (meter: Meter) => Promise<Result>): Promise<Result> {
  const meter = newMeter();
  const result = await sum(meter);
  if (meter.stoppedAt !== undefined)
    throw badRequest('range_too_large', 'the range holds more than one call can sum: request a shorter one');
  return result;
}

/** Reads the entries of a time range, in no order, from an index by `month` that is sorted by time. */
export function eachInRange(
  tx: UnitOfWork,
  of: Entity,
  { from, to }: { from: string; to: string },
  meter: Meter,
  take: (entry: EntryRow) => void,
): Promise<void> {
  const months = [...new Set(daysBetween(from, to).map(monthOf))];
  return eachPage(
    months,
    meter,
    // Keys are `<time>#…`: the bare time is before all of that time, and `~` behind.
    (month) =>
      pages({
        pk: entriesPartition(tx.tenant, of, `month=${month}`),
        ...{ ascending: true, meter, above: from, below: `${to}~` },
      }) as AsyncIterable<EntryRow[]>,
    (page) => page.forEach(take),
  );
}

/** Number of queries that run at a time. */
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
