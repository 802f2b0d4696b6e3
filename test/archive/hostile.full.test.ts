import { describe, expect, test } from 'vitest';
import { restored } from '#lib/archive/archive.ts';
import { entityIn } from '#lib/archive/kinds.ts';
import { misfit } from '#lib/archive/strict.ts';
import { entities } from '#lib/entities/all.ts';
import { latestVersion } from '#lib/table/entity.ts';
import document from '#openapi' with { type: 'json' };
import { clientOf, rowOf, type Schema, taken, texts } from './handmade.ts';
import { at, keys, long, many, ownPaths, wrongs } from './spoiled.ts';

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

describe.each(entities.map((of) => [of.name, of] as const))('a handmade %s', (_, of) => {
  const row = rowOf(of);

  test('is taken in as an export writes it', () => {
    expect(entityIn(row.pk.slice(row.pk.indexOf('#') + 1))).toBe(of);
    const [written] = restored(1, 2, row);
    if (written) expect(misfit(of.schema, written)).toBeUndefined();
  });

  test('with a value that no call makes is refused by the name of its field, or has lost it', () => {
    const kept = ownPaths(row).flatMap((path) =>
      hostileTo(at(row, path)).flatMap((value) => wrongs(of, row, path, value)),
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
  const id = await taken(entities.map((of) => rowOf(of)));
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
});
