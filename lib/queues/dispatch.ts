import { log } from '#lib/core/log.ts';
import { isPermanent, requireReadable } from '#lib/table/dead-letter.ts';
import type { Key } from '#lib/table/keys.ts';
import { dispatchTimers } from './send.ts';
import { TimerRow } from './timer.ts';

/**
 * Tells rows that have begun to wait. Returns those that are left for a reason that may pass. Those that fail for a reason of
 * their own hold up nobody: they stay where the sweeper finds them at their time. Nor do those that the
 * Scheduler does not take: the sweeper sends them at their time.
 */
export async function dispatch<Stored extends Key>(stored: readonly Stored[]): Promise<Stored[]> {
  const read = new Map<TimerRow, Stored>();
  for (const row of stored) {
    try {
      read.set(requireReadable(TimerRow, row), row);
    } catch (error) {
      log().error('a timer is left to the sweeper', error as Error);
    }
  }
  const left: Stored[] = [];
  for (const { row, error, isFar = false } of await dispatchTimers([...read.keys()])) {
    log().error('a timer could not be sent', error as Error);
    if (!isFar && !isPermanent(error)) left.push(read.get(row) as Stored);
  }
  return left;
}
