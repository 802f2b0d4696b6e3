import { invalidField } from '#lib/core/problem.ts';
import { isObject } from './message.ts';

/** The result of `tools/call`: the same JSON for programs and, as text, for models. */
export interface ToolResult {
  content: { type: 'text'; text: string }[];
  structuredContent: Record<string, unknown>;
  isError?: true;
}

/** 10,000 tokens of 4 bytes, less what the protocol wraps around the result. */
const maxBytes = 39_000;
/** Characters that a long text keeps; the later ones only where shorter lists are not enough. */
const textLimits = [4000, 1000, 200, 40];
const hint = 'Shortened to fit: ask for fewer fields or a smaller limit, or go on with nextCursor.';

/** A result that fits a model's context: long texts are cut, then lists, whose cursor then leads to the rest. */
export function resultOf(value: object, isError = false): ToolResult {
  let fitting: object = value;
  for (const limit of textLimits) {
    if (bytesOf(fitting) <= maxBytes) break;
    fitting = { ...(cut(value, limit) as object), truncated: hint };
    shortenLists(fitting);
  }
  return { ...wrapped(fitting), ...(isError ? { isError } : {}) };
}

const wrapped = (value: object): ToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
  structuredContent: value as Record<string, unknown>,
});

const bytesOf = (value: object) => Buffer.byteLength(JSON.stringify(wrapped(value)));

/** A copy in which no text is longer. */
function cut(value: unknown, limit: number): unknown {
  if (typeof value === 'string')
    return value.length <= limit
      ? value
      : `${value.slice(0, limit).toWellFormed()}… [${value.length - limit} more characters]`;
  if (Array.isArray(value)) return value.map((one) => cut(one, limit));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, cut(one, limit)]));
}

/** Takes rows from the end of the largest list until all fits or every list has one row. */
function shortenLists(value: object): void {
  for (let bytes = bytesOf(value); bytes > maxBytes; bytes = bytesOf(value)) {
    const [largest] = listsIn(value).sort((a, b) => b.bytes - a.bytes);
    if (!largest) return;
    const { owner, rows } = largest;
    rows.length = Math.max(1, Math.min(rows.length - 1, Math.floor((rows.length * maxBytes) / bytes)));
    if ('hasMore' in owner) {
      const { sequence, id } = rows.at(-1) as { sequence?: number; id?: number };
      Object.assign(owner, { nextCursor: sequence ?? id, hasMore: true });
    }
  }
}

interface List {
  owner: object;
  rows: unknown[];
  bytes: number;
}

/** The lists of more than one row anywhere inside. */
function listsIn(value: unknown): List[] {
  if (Array.isArray(value)) return value.flatMap(listsIn);
  if (!isObject(value)) return [];
  return Object.values(value).flatMap((inner) => [
    ...(Array.isArray(inner) && inner.length > 1
      ? [{ owner: value, rows: inner, bytes: JSON.stringify(inner).length }]
      : []),
    ...listsIn(inner),
  ]);
}

/** By which a list goes on: the id of a row, or the sequence of an event. */
const cursors = ['id', 'sequence'];

/**
 * Returns only these fields of every row of a list, or of the resource itself. Cursors stay. Raises 400 for a name that is neither in
 * `known` nor in the value.
 */
export function withFields(value: object, names: readonly string[], known: readonly string[]): object {
  if (names.length === 0) return value;
  const { items } = value as { items?: unknown };
  const rows = Array.isArray(items) ? items : [value];
  const all = new Set([...known, ...rows.flatMap((row) => (isObject(row) ? Object.keys(row) : []))]);
  if (names.some((name) => !all.has(name)))
    throw invalidField('fields', 'invalid_enum', `fields must be some of ${[...all].join(', ')}`);
  const only = (row: unknown) =>
    isObject(row)
      ? Object.fromEntries(Object.entries(row).filter(([name]) => cursors.includes(name) || names.includes(name)))
      : row;
  return Array.isArray(items) ? { ...value, items: items.map(only) } : (only(value) as object);
}

/** Returns a resource, or a list of them, with its custom values under this name. */
export function withValuesAs(name: string, value: object): object {
  const renamed = (row: unknown) =>
    isObject(row)
      ? Object.fromEntries(Object.entries(row).map(([of, one]) => [of === 'fields' ? name : of, one]))
      : row;
  const { items } = value as { items?: unknown };
  return Array.isArray(items) ? { ...value, items: items.map(renamed) } : (renamed(value) as object);
}
