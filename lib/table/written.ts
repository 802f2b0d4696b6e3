import { log } from '../log.ts';
import { type Actor, type Tenant, tenantKey } from '../tenant.ts';
import { today, tryAdd, usedUp } from './daily.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/**
 * What the callers of an environment write in a UTC day, with all that follows from it (renames, merges): rate limits count calls, of
 * which one may write megabytes.
 */
const maxBytesPerDay = 50 * 2 ** 30;

/** A process tells the table of what it wrote once it is so much, which costs next to nothing and leaves little untold. */
const toldBytes = 2 ** 18;

/** By tenant. */
const untold = new Map<string, number>();
/** The day of which nothing is left, by tenant, as far as this process has been told. */
const spent = new Map<string, string>();

/** What nobody calls for is counted elsewhere, if at all: mails that come in, an operator's reindexing. */
const isCaller = ({ type, id }: Actor) => id !== null && (type === 'api_key' || type === 'user');

/** Counts what a unit of work is about to write, or writes beside it. */
export async function countWritten(tx: UnitOfWork, written?: number): Promise<void> {
  if (!isCaller(tx.actor)) return;
  const name = tenantKey(tx.tenant);
  const bytes = (untold.get(name) ?? 0) + (written ?? tx.bytes);
  untold.set(name, bytes);
  if (bytes < toldBytes) return;
  untold.delete(name);
  const day = today();
  try {
    const isSpent = (await tryAdd(tx.tenant, 'written', day, bytes, maxBytesPerDay)) !== undefined;
    if (isSpent) spent.set(name, day);
  } catch (error) {
    log().warn('what was written is not counted', error as Error);
  }
}

/** Raises 429 for whoever has written as much as a day takes. */
export function requireRoomToWrite(tenant: Tenant): void {
  const day = today();
  const name = tenantKey(tenant);
  if (spent.get(name) === day) throw usedUp(`${maxBytesPerDay} bytes to write`, day);
  spent.delete(name);
}
