import { type ArchivedRow, restored, UnfitRow } from '#lib/archive/archive.ts';
import type { Entity } from '#lib/table/entity.ts';

export type Path = readonly (string | number)[];

/** Where something stands in a value. */
function* pathsOf(value: unknown, path: Path = []): Generator<Path> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value))
    yield* pathsOf(inner, [...path, Array.isArray(value) ? Number(name) : name]);
}

export const at = (value: unknown, path: Path): unknown =>
  path.reduce((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], value);

export function changed<Of extends object>(value: Of, path: Path, to: unknown): Of {
  const copy = structuredClone(value);
  const place = at(copy, path.slice(0, -1)) as Record<string, unknown>;
  Object.defineProperty(place, path.at(-1) as string, { value: to, enumerable: true, writable: true });
  return copy;
}

export const long = 'x'.repeat(300_000);
export const many = Array.from({ length: 100_000 }, () => 'x');
export const keys = JSON.parse('{"__proto__": {"isAdmin": true}, "constructor": "x"}') as object;
/** What the API takes, too: bodies as long as an item, amounts of cents, parts of milliseconds. */
const isTaken = (of: Entity, path: Path, value: unknown) =>
  (value === long && path.at(-1) === 'body') ||
  (value === 0.5 &&
    ['value', 'amount', 'total', 'averageMs', 'hours', 'registeredAtMs'].includes(String(path.at(-1)))) ||
  (['1', 'NaN'].includes(value as string) && of.name === 'contact' && path[0] === 'identities');

const shown = (value: unknown) => (JSON.stringify(value) ?? String(value)).slice(0, 40);

/** Of the row as a whole. */
const unnamed =
  /has an id that there is not|lies where it does not belong|bytes|half a character|too large|key that|tells of no event,/;

const ofTheRow = ['pk', 'sk', 'v', 'entityVersion', 'expiresAtSeconds'];

/** Where something stands in a row that its entity says. */
export const ownPaths = (row: ArchivedRow): Path[] =>
  [...pathsOf(row)].filter(([name]) => !ofTheRow.includes(String(name)));

/**
 * What an import does wrong with a row in which a value is spoiled: it keeps it, or refuses it without its field's name. Nothing where it
 * is refused by that name or has lost the value.
 */
export function wrongs(of: Entity, row: ArchivedRow, path: Path, value: unknown): string[] {
  const field = `${of.name}.${path.join('.')} = ${shown(value)}`;
  try {
    const [written] = restored(1, 2, changed(row, path, value));
    const left = at(written, path);
    const isKept = typeof value === 'object' ? JSON.stringify(left) === JSON.stringify(value) : left === value;
    return isKept && !isTaken(of, path, value) ? [field] : [];
  } catch (error) {
    if (!(error instanceof UnfitRow)) return [`${field}: ${error}`];
    const isNamed = path.some((name) => error.message.includes(String(name))) || unnamed.test(error.message);
    return isNamed ? [] : [`${field}: ${error.message}`];
  }
}
