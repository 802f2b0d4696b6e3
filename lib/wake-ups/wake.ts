import { log } from '#lib/log.ts';
import type { Key } from '#lib/table/keys.ts';
import { isOwnReason, readable } from '#lib/table/set-aside.ts';
import { sendWakeUps } from './send.ts';
import { WakeUpRow } from './wake-up.ts';

/**
 * Tells rows that have begun to wait. Returns those that are left for a reason that may pass. Those that fail for a reason of
 * their own hold up nobody: they stay where the sweeper finds them at their time, and sets them aside.
 */
export async function wake<Stored extends Key>(stored: readonly Stored[]): Promise<Stored[]> {
  const read = new Map<WakeUpRow, Stored>();
  for (const row of stored) {
    try {
      read.set(readable(WakeUpRow, row), row);
    } catch (error) {
      log().error('a wake-up is left to the sweeper', error as Error);
    }
  }
  const left: Stored[] = [];
  for (const { row, error } of await sendWakeUps([...read.keys()])) {
    log().error('a wake-up could not be sent', error as Error);
    if (!isOwnReason(error)) left.push(read.get(row) as Stored);
  }
  return left;
}
