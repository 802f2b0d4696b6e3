import { log } from '../log.ts';
import { type Actor, type Tenant, tenantKey } from '../tenant.ts';
import { today, tryAdd, usedUp } from './daily.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/**
 * Write units that the callers of an environment take in a UTC day, with all that follows from their calls (renames, merges, steps of sequences): rate
 * limits count calls, of which one may take thousands. Some fifty gigabytes in transactions, and $60 on demand.
 */
const maxUnitsPerDay = 100_000_000;

/** A process tells the table of what it has taken once it is so much, which costs next to nothing and leaves little untold. */
const toldUnits = 500;

/** By tenant. */
const untold = new Map<string, number>();
/** The day of which nothing is left, by tenant, as far as this process has been told. */
const spent = new Map<string, string>();

/** What nobody calls for is counted elsewhere, if at all: mails that come in, an operator's reindexing. */
export const isCaller = ({ type, id }: Actor) => id !== null && (type === 'api_key' || type === 'user');

const bytesPerReadUnit = 4096;
/** On demand a write unit costs as much as five read units. */
const readUnitsPerWriteUnit = 5;

/** What a unit of work has read by keys, in write units. */
export const unitsRead = (tx: UnitOfWork): number => tx.bytesRead / bytesPerReadUnit / readUnitsPerWriteUnit;

/** Counts what a unit of work has taken. */
export async function countWritten({ tenant, actor, followsCall }: UnitOfWork, units: number): Promise<void> {
  if (!isCaller(actor) && !followsCall) return;
  const name = tenantKey(tenant);
  const sum = (untold.get(name) ?? 0) + units;
  untold.set(name, sum);
  if (sum < toldUnits) return;
  untold.delete(name);
  const day = today();
  try {
    const isSpent = (await tryAdd(tenant, 'written', day, Math.round(sum), maxUnitsPerDay)) !== undefined;
    if (isSpent) spent.set(name, day);
  } catch (error) {
    log().warn('what was written is not counted', error as Error);
  }
}

/** Raises 429 for whoever has written as much as a day takes. */
export function requireRoomToWrite(tenant: Tenant): void {
  const day = today();
  const name = tenantKey(tenant);
  if (spent.get(name) === day) throw usedUp(`${maxUnitsPerDay} units to write`, day);
  spent.delete(name);
}
