import { isRepeatable } from '../aws.ts';
import { hourMs, minuteMs, shifted, timestamp } from '../clock.ts';
import { log } from '../log.ts';
import { Problem } from '../problem.ts';
import { type Change, WriteConflict } from './change.ts';
import { type Entity, entriesPartition, type Wanted } from './entity.ts';
import type { Key } from './keys.ts';
import { putRows, removeRows } from './rows.ts';
import type { UnitOfWork } from './unit-of-work.ts';
import { writeIf } from './update.ts';

/** Fewer entries are not worth a round trip of their own. */
const leastEarly = 3;
/** So long after its entries were written no transaction is sent: a function that is frozen in between goes on where it was. */
const longestCommitMs = 10 * minuteMs;
/** So long after they were written they are taken away. */
const leftMs = hourMs;
/** So many are removed by one list. */
const maxRemoved = 25;

/**
 * The changes that may be written before their transaction, each at half of its price: entries of new items in indexes that are
 * confirmed by the items. Nobody else knows the ids, so that nothing can change them meanwhile. None where they are few.
 */
export function earlyOf(changes: readonly Change[]): readonly Change[] {
  const early = changes.filter(({ isEarly, item }) => isEarly && item);
  return early.length < leastEarly ? [] : early;
}

/**
 * Writes them. When the transaction fails they are taken back; where a process dies in between, the first list does it that meets them
 * an hour later (`removeLeft`). Raises WriteConflict when they may not all be there: the work runs again, with other ids.
 * Returns what ends the transaction when it would come too late.
 */
export async function writeEarly(tx: UnitOfWork, changes: readonly Change[]): Promise<AbortSignal> {
  tx.otherwise(() => removeRows(changes.map(({ key }) => key)));
  const tooLate = AbortSignal.timeout(longestCommitMs);
  const earlyAt = timestamp();
  try {
    await putRows(changes.map(({ key, item }) => ({ ...item, ...key, earlyAt })));
    return tooLate;
  } catch (error) {
    throw isRepeatable(error) || error instanceof Problem
      ? new WriteConflict('entries may not be there', { cause: error })
      : error;
  }
}

/** Removes the entries that a list has met by keys of items that do not exist, and never will. */
export async function removeLeft(
  tx: UnitOfWork,
  of: Entity,
  wanted: readonly Wanted[],
  keys: readonly Key[],
): Promise<void> {
  const before = shifted(tx.now, -leftMs);
  const entries = keys.flatMap(({ sk }) =>
    wanted.map(({ name }): Key => ({ pk: entriesPartition(tx.tenant, of, name), sk })),
  );
  const removals = entries
    .slice(0, maxRemoved)
    .map((key) => writeIf({ key, item: null, if: { below: { earlyAt: before } } }));
  for (const removal of await Promise.allSettled(removals))
    if (removal.status === 'rejected') log().warn('an entry without its item stays', { error: removal.reason });
}
