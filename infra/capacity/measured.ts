import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the rows under one pattern of a partition key (docs/table.md) are written and read with. */
export interface Spent {
  /** Rows that were written whole: of the outbox and of timers that is how many there were. */
  puts: number;
  writeUnits: number;
  readUnits: number;
}

/** What calls to the table cost: units as its engine reports them, the calls themselves, and where. */
export interface Cost {
  writeUnits: number;
  readUnits: number;
  calls: number;
  /** By the pattern of the partition key. */
  partitions: Record<string, Spent>;
}

export type Budget = readonly [writeUnits?: number | null, readUnits?: number | null, calls?: number | null];

/** One call of the API with everything asynchronous that follows from it, or one delivery of its event. */
export interface Measured extends Cost {
  what: string;
  /** Somebody calls it; a delivery follows from calls. */
  isRequest: boolean;
  budget: Budget;
}

/** By the name that a mix of calls has for it. */
export type MeasuredCalls = Readonly<Record<string, Measured>>;

export const measuredFile = join(import.meta.dirname, 'measured.json');

/** What `npm run bench units` measured last. */
export const readMeasured = (): MeasuredCalls => JSON.parse(readFileSync(measuredFile, 'utf8'));
