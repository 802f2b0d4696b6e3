import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { renderChannelLists, renderEntityLists } from '#infra/entities.ts';
import { isOnMap, renderTableMap } from '#infra/table-map.ts';
import { identity, shardsOf } from '#lib/table/keys.ts';

const root = join(import.meta.dirname, '../..');
const read = (name: string) => readFileSync(join(root, name));

test('docs/table.md is what the declarations say', () => {
  expect(read('docs/table.md').toString(), 'run npm run table-map').toBe(renderTableMap());
});

test('the lists of entities and channels are those of their files', async () => {
  for (const [file, text] of Object.entries({ ...(await renderEntityLists()), ...renderChannelLists() }))
    expect(read(file).toString(), 'run npm run generate').toBe(text);
});

test('the map names every row that release 1.4 has written', () => {
  const rows = gunzipSync(read('test/table/recorded.jsonl.gz')).toString().trim().split('\n');
  expect(rows.length).toBeGreaterThan(350);
  expect(
    rows
      .map((row) => JSON.parse(row))
      .filter((row) => !isOnMap(row))
      .map(identity),
  ).toEqual([]);
});

test('the map names every shard', () => {
  const shards = [...shardsOf('outbox'), ...shardsOf('due')];
  expect(shards.filter((pk) => !isOnMap({ pk, sk: '2026-11-24T00:00:00.000Z#1' }))).toEqual([]);
});

test.each([
  ['an entity that nobody declares', { pk: '7:live#unicorn', sk: '0000000001' }],
  ['an item without a padded id', { pk: '7:live#contact', sk: '1' }],
  ['an item of a tenant that should be of the workspace', { pk: '7:live#member', sk: '0000000001' }],
  ['an entry of an index that nobody declares', { pk: '7:live#contact?color=red', sk: '0000000001' }],
  ['an entry in an ordered index without its order', { pk: '7:live#task?due', sk: '0000000001' }],
  ['a partition of nobody', { pk: 'contact', sk: '0000000001' }],
])('the map does not name %s', (_, key) => {
  expect(isOnMap(key)).toBe(false);
});

test('lib/table/keys.ts alone spells keys of rows', () => {
  const spelling = /\bpk(?::| =) ?(?:'|`[^`]*#)/;
  const files = globSync('{lib,functions}/**/*.ts', { cwd: root });
  expect(files.length).toBeGreaterThan(300);
  const spellers = files.filter((name) => spelling.test(read(name).toString()));
  expect(spellers.filter((name) => name !== 'lib/table/keys.ts')).toEqual([]);
});
