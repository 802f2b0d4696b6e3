import { AsyncLocalStorage } from 'node:async_hooks';

/** A write unit costs as much as five read units. */
const unitsPerWrite = 5;

const call = new AsyncLocalStorage<{ units: number }>();

/** Runs a call of the API, and measures what it takes of the table. */
export const measured = <Result>(work: () => Result): Result => call.run({ units: 0 }, work);

/** Returns what the call under way has taken of the table, in read units. */
export const unitsTaken = (): number => call.getStore()?.units ?? 0;

export function countReadUnits(units: number): void {
  const usage = call.getStore();
  if (usage) usage.units += units;
}

export const countWriteUnits = (units: number): void => countReadUnits(units * unitsPerWrite);

/** Converts bytes to write units; a transaction takes two a kilobyte, written or read by its conditions. */
export const writeUnitsOf = (bytes: number, perKilobyte = 2): number => perKilobyte * Math.ceil(bytes / 1024);
