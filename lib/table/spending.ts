import { log } from '../log.ts';
import { type Actor, type Tenant, tenantKey } from '../tenant.ts';
import { today, tryAdd, usedUp } from './daily.ts';

/**
 * What the callers of an environment take of the table in a UTC day, by calls that only read and by all others: rate limits count calls,
 * of which one may take thousands of units. Either is some $60 on demand. A process tells the table of what it has taken once it is
 * as much as `told`, which costs next to nothing and leaves little untold.
 */
const unitsPerDay = 500_000_000;
const told = 2_500;

/** A write unit costs as much as so many read units, which is what all of it is counted in. */
export const unitsPerWrite = 5;
const unitsOfDay = { written: `${unitsPerDay / unitsPerWrite} write units`, read: `${unitsPerDay} read units` };
type Kind = keyof typeof unitsOfDay;

/** To answer so much costs what a unit does: $0.09 a gigabyte leave AWS, a million units are $0.125. */
const answeredBytesPerUnit = 1400;
export const unitsToAnswer = (body: string): number => Buffer.byteLength(body) / answeredBytesPerUnit;

/** By kind and tenant. */
const untold = new Map<string, number>();
/** The day of which nothing is left, as far as this process has been told. */
const spent = new Map<string, string>();

const nameOf = (tenant: Tenant, kind: Kind) => `${kind} ${tenantKey(tenant)}`;

/** Counts what was taken. */
export async function countUnits(tenant: Tenant, kind: Kind, units: number): Promise<void> {
  const name = nameOf(tenant, kind);
  const sum = (untold.get(name) ?? 0) + units;
  untold.set(name, sum);
  if (sum < told) return;
  untold.delete(name);
  const day = today();
  try {
    if ((await tryAdd(tenant, kind, day, Math.round(sum), unitsPerDay)) !== undefined) spent.set(name, day);
  } catch (error) {
    log().warn('what was taken of the table is not counted', error as Error);
  }
}

/** So many calls each caller has on a used-up day that stop something or show what can be stopped. */
const stopsPerDay = 1_000;

/** Raises 429 for an environment that has taken as much as a day has; of what stops something, named by its caller, where that is too much as well. */
export async function requireRoom(tenant: Tenant, kind: Kind, stopper?: string): Promise<void> {
  const day = today();
  const name = nameOf(tenant, kind);
  if (spent.get(name) !== day) {
    spent.delete(name);
    return;
  }
  const isLeft = stopper !== undefined && !(await tryAdd(tenant, `${kind} by ${stopper}`, day, 1, stopsPerDay - 1));
  if (!isLeft) throw usedUp(`${unitsOfDay[kind]} of the table`, day);
}

/** What nobody calls for is counted elsewhere, if at all: mails that come in, an operator's reindexing. */
export const isCaller = ({ type, id }: Actor) => id !== null && (type === 'api_key' || type === 'user');
