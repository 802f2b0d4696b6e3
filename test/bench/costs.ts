import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What calls to the table cost: units as its engine reports them, and the calls themselves. */
export interface Cost {
  writeUnits: number;
  readUnits: number;
  calls: number;
}

export type Budget = readonly [writeUnits?: number | null, readUnits?: number | null, calls?: number | null];

/** One call of the API with everything asynchronous that follows from it, or one delivery of its event. */
export interface Measured extends Cost {
  what: string;
  budget: Budget;
}

export const nothing = (): Cost => ({ writeUnits: 0, readUnits: 0, calls: 0 });

/** Returns the dollars of a million calls at the table: on demand, us-east-1 (https://aws.amazon.com/dynamodb/pricing/, November 2026). */
export const dollarsOf = ({ writeUnits, readUnits }: Cost): number => writeUnits * 0.625 + readUnits * 0.125;

const page = join(import.meta.dirname, '../../docs/costs.md');
const [start, end] = ['<!-- units -->\n', '<!-- end -->'];

/** Returns the write units of a call, as docs/costs.md has them. */
export function notedWriteUnits(what: string): number {
  const row = readFileSync(page, 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`| ${what} | `));
  if (row === undefined) throw new Error(`docs/costs.md has no row of "${what}"`);
  return Number.parseFloat(row.split(' | ')[1] as string);
}

/** Writes the table of docs/costs.md. */
export function noteCosts(measured: readonly Measured[]): void {
  const rows = measured.map(({ what, budget, ...cost }) => {
    const values = [cost.writeUnits, cost.readUnits, cost.calls].map((value) => String(Number(value.toFixed(1))));
    const limit = budget.length === 0 ? '' : values.map((_, index) => budget[index] ?? '-').join(' / ');
    return `| ${what} | ${values.join(' / ')} | $${dollarsOf(cost).toFixed(2)} | ${limit} |\n`;
  });
  const head = '| call | write / read units / calls | $ a million | budget |\n| --- | --- | --- | --- |\n';
  const text = readFileSync(page, 'utf8');
  const from = text.indexOf(start) + start.length;
  writeFileSync(page, `${text.slice(0, from)}${head}${rows.join('')}${text.slice(text.indexOf(end, from))}`);
}
