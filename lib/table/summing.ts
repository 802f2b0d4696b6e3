import { secondMs } from '../clock.ts';
import { badRequest } from '../problem.ts';
import { longTimeoutSeconds } from '../timeouts.ts';
import type { EntryRow } from './entries.ts';
import { type Meter, newMeter, stop } from './pages.ts';
import { inSlot } from './slots.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/**
 * Sums a range in a slot of the tenant, with one meter for all that it reads. Raises 400 where that is more than one call may read,
 * 429 while other such calls have all of the tenant's slots.
 */
export const summing = <Result>(tx: UnitOfWork, sum: (meter: Meter) => Promise<Result>): Promise<Result> =>
  inSlot(tx.tenant, longTimeoutSeconds * secondMs, async () => {
    const meter = newMeter();
    const result = await sum(meter);
    if (meter.stoppedAt !== undefined)
      throw badRequest('range_too_large', 'the range has too much in it to be summed: ask for a shorter one');
    return result;
  });

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
      if (meter.unitsLeft < 0) return stop(meter, '');
      for await (const page of query(part)) take(page);
    }
  };
  await Promise.all(Array.from({ length: maxQueries }, readNext));
}
