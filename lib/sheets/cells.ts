import { decimalsOf } from '#lib/core/money.ts';

/** How values of a column are written in a cell, and typed in a Parquet file. */
export type CellKind =
  | 'text'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'time'
  | 'date'
  | 'money'
  | 'texts'
  | 'integers'
  | 'json';

interface Amount {
  amount: number;
  currency: string;
}

/** Returns several values as one cell: `a;b`. A backslash stands before a semicolon or a backslash that a value has. */
const joined = (values: readonly unknown[]) =>
  values.map((value) => String(value).replaceAll(/[\\;]/g, String.raw`\$&`)).join(';');

/** Returns the values of such a cell, trimmed; empty ones are left out. */
const parted = (cell: string) =>
  [...cell.matchAll(/(?:[^;\\]|\\[\\;]|\\(?![\\;]))+/g)]
    .map(([part]) => part.replaceAll(/\\([\\;])/g, '$1').trim())
    .filter((value) => value !== '');

/** Begins what a spreadsheet would run as a formula; with apostrophes before it, what a reader would take for a guarded one. */
const formula = /^'*[=+\-@\t\r]/;

/** Returns a text that no spreadsheet runs: one that begins as a formula gets an apostrophe. */
const guarded = (text: string) => (formula.test(text) ? `'${text}` : text);

/** Returns a guarded text as it was. */
const unguarded = (cell: string) => (cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell);

/** Returns the text of a cell of CSV; empty for null and for an empty list. */
export function writeCell(kind: CellKind, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (kind === 'integer' || kind === 'number' || kind === 'boolean') return String(value);
  if (kind === 'texts' || kind === 'integers') return guarded(joined(value as unknown[]));
  if (kind === 'json') return guarded(JSON.stringify(value));
  if (kind !== 'money') return guarded(String(value));
  const { amount, currency } = value as Amount;
  return guarded(`${amount.toFixed(decimalsOf(currency))} ${currency}`);
}

const booleans: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  1: true,
  false: false,
  no: false,
  0: false,
};

const decimal = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;
const readNumber = (text: string) => (decimal.test(text) ? Number(text) : text);

function readMoney(text: string): unknown {
  const [, amount, currency] = /^([+-]?[\d.]+)\s*([A-Za-z]{3})$/.exec(text) ?? [];
  if (amount === undefined || currency === undefined) return text;
  return { amount: readNumber(amount), currency: currency.toUpperCase() };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the value of a cell of CSV as `readText` does, without the apostrophe that guards it. */
export const readCell = (kind: CellKind, cell: string): unknown => readText(kind, unguarded(cell));

/**
 * Returns the value of a text; undefined for an empty one. A text that is no value of the kind stays a text: the rules of the call that
 * takes it then say what is wrong.
 */
export function readText(kind: CellKind, text: string): unknown {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  if (kind === 'integer' || kind === 'number') return readNumber(trimmed);
  if (kind === 'boolean') return booleans[trimmed.toLowerCase()] ?? trimmed;
  if (kind === 'texts') return parted(text);
  if (kind === 'integers') return parted(text).map(readNumber);
  if (kind === 'json') return readJson(text);
  if (kind === 'money') return readMoney(trimmed);
  return kind === 'text' ? text : trimmed;
}
