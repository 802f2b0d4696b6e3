import { describe, expect, test } from 'vitest';
import { restored, UnfitRow } from '#lib/archive/archive.ts';
import { entityIn } from '#lib/archive/kinds.ts';
import { misfit } from '#lib/archive/strict.ts';
import { entities } from '#lib/entities/all.ts';
import { type Entity, latestVersion } from '#lib/table/entity.ts';
import document from '#openapi' with { type: 'json' };
import { clientOf, rowOf, type Schema, taken, texts } from './handmade.ts';

/** What can hold more than a few values and does not say what this release writes there. */
function* unbounded(schema: Schema, path: string): Generator<string> {
  const { type, strict, entries = {}, item, wrapped, value, options = [], pipe = [] } = schema;
  const isBounded = pipe.some(({ type: action }) => ['regex', 'max_value', 'max_length'].includes(action));
  if (['string', 'number', 'array', 'record', 'union'].includes(type) && !strict && !isBounded) yield path;
  for (const [name, inner] of Object.entries(entries)) yield* unbounded(inner, `${path}.${name}`);
  for (const inner of [item, wrapped, value]) if (inner) yield* unbounded(inner, path);
  if (type === 'variant') for (const option of options) yield* unbounded(option as Schema, path);
}

test('every text, number, list and record of every entity says what this release writes there', () => {
  const found = entities.flatMap((of) => [...unbounded(of.schema as Schema, of.name)]);
  expect(found).toEqual([]);
});

type Path = readonly (string | number)[];

/** Where something stands in a value. */
function* pathsOf(value: unknown, path: Path = []): Generator<Path> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value))
    yield* pathsOf(inner, [...path, Array.isArray(value) ? Number(name) : name]);
}

const at = (value: unknown, path: Path): unknown =>
  path.reduce((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], value);

function changed<Of extends object>(value: Of, path: Path, to: unknown): Of {
  const copy = structuredClone(value);
  const place = at(copy, path.slice(0, -1)) as Record<string, unknown>;
  Object.defineProperty(place, path.at(-1) as string, { value: to, enumerable: true, writable: true });
  return copy;
}

const long = 'x'.repeat(300_000);
const many = Array.from({ length: 100_000 }, () => 'x');
const keys = JSON.parse('{"__proto__": {"isAdmin": true}, "constructor": "x"}') as object;
const hostile: Record<'string' | 'number' | 'boolean' | 'object', readonly unknown[]> = {
  string: [long, `a\ud800`, 5, true, many, keys],
  number: [2 ** 60, -1, 1e300, 0.5, 'NaN', '1', many, keys],
  boolean: ['true', 1, many, keys],
  object: ['x', 5, many, Object.fromEntries(many.map((_, index) => [index, 'x'])), keys],
};
const timesOfOthers = [
  '2026-01-01',
  '2026-02-30T00:00:00Z',
  '2026-19-39T00:00:00Z',
  'Jan 1 2020',
  '2026-01-01T00:00:00+02:00',
  '+012026-01-01T00:00:00Z',
  '2026-01-01T00:00:00.0Z',
];
const isTime = (value: unknown) => texts.slice(-2).includes(value as string);

function hostileTo(value: unknown): readonly unknown[] {
  const type = typeof value as keyof typeof hostile;
  return isTime(value) ? [...hostile[type], 'zzz', ...timesOfOthers] : hostile[type];
}

/** What the API takes, too: bodies as long as an item, amounts of cents, parts of milliseconds. */
const isTaken = (of: Entity, path: Path, value: unknown) =>
  (value === long && path.at(-1) === 'body') ||
  (value === 0.5 &&
    ['value', 'amount', 'total', 'averageMs', 'hours', 'registeredAtMs'].includes(String(path.at(-1)))) ||
  (['1', 'NaN'].includes(value as string) && of.name === 'contact' && path[0] === 'identities');

const shown = (value: unknown) => (JSON.stringify(value) ?? String(value)).slice(0, 40);

describe.each(entities.map((of) => [of.name, of] as const))('a handmade %s', (_, of) => {
  const row = rowOf(of);
  const own = [...pathsOf(row)].filter(
    ([name]) => !['pk', 'sk', 'v', 'entityVersion', 'expiresAtSeconds'].includes(String(name)),
  );

  test('is taken in as an export writes it', () => {
    expect(entityIn(row.pk.slice(row.pk.indexOf('#') + 1))).toBe(of);
    const [written] = restored(1, 2, row);
    if (written) expect(misfit(of.schema, written)).toBeUndefined();
  });

  test('with a value that no call makes is refused by the name of its field, or has lost it', () => {
    const kept = own.flatMap((path) =>
      hostileTo(at(row, path)).flatMap((value) => {
        const field = `${path.join('.')} = ${shown(value)}`;
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
      }),
    );
    expect(kept).toEqual([]);
  });

  test('ends when it would end here, whatever the file says', () => {
    for (const expiresAtSeconds of [0, 1, -5, 2 ** 60, 'never', null]) {
      const [written] = restored(1, 2, { ...row, expiresAtSeconds });
      expect(written?.['expiresAtSeconds']).toBe(written && of.expiresAtSeconds?.(written));
    }
  });

  test.runIf(restored(1, 2, row).length > 0).each([0, -1, 1.5, latestVersion(of) + 1])(
    'of version %s is refused',
    (entityVersion) => expect(() => restored(1, 2, { ...row, entityVersion })).toThrow('newer release'),
  );
});

test('a workspace of which every row is handmade answers every reading call', async () => {
  const id = await taken(entities.map(rowOf));
  const clients = [await clientOf(id, 'live'), await clientOf(id, 'test')] as const;
  const paths = Object.entries(document.paths).flatMap(([path, operations]) =>
    'get' in operations ? [path.replaceAll(/\{\w+\}/g, '1')] : [],
  );
  const answers: (readonly [path: string, status: number, body: unknown])[] = [];
  // One after the other: each wakes a function of its own.
  for (const client of clients)
    for (const path of paths) {
      const { status, body } = await client.get(path);
      answers.push([path, status, body]);
    }
  expect(answers.filter(([, status]) => status >= 500)).toEqual([]);
  expect(answers.filter(([, status]) => status === 200).length).toBeGreaterThan(40);
  expect(await clients[0].post('/v1/tags', { name: 'of another name' })).toMatchObject({ status: 201 });
}, 300_000);

/** Of the row as a whole. */
const unnamed =
  /has an id that there is not|lies where it does not belong|bytes|half a character|too large|key that|tells of no event/;
