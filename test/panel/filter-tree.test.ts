import { beforeAll, expect, test } from 'vitest';
import { operatorsOfKinds, searchFields } from '#panel/api/search-fields.ts';
import { conditionsIn, type Filter, fits, isSame, treeOf, written } from '#panel/parts/filter/tree.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let live: TestWorkspace['live'];
beforeAll(async () => {
  ({ live } = await newWorkspace());
});

const search = (filter: Filter | undefined) => live.post('/v1/contacts/search', { filter });
const named = { field: 'name', op: 'contains', value: 'a' };
const wrong = { field: 'leadScore', op: 'gte', value: 'many' };

test.each<[string, Filter | undefined]>([
  ['nothing', undefined],
  ['a condition', named],
  ['and', { and: [named, { field: 'email', op: 'isSet' }] }],
  ['or in and', { and: [named, { or: [named, { field: 'tags', op: 'in', value: ['vip'] }] }] }],
  ['not of a condition', { not: named }],
  ['not of a group', { not: { or: [named, named] } }],
  ['not of not', { not: { not: named } }],
])('a filter of %s stays as it is when it is edited', (_, filter) => {
  expect(written(treeOf(filter)).filter).toEqual(filter);
});

test.each([
  [{ and: [] }, undefined],
  [{ and: [named] }, named],
  [{ or: [{ and: [{ or: [named] }] }] }, named],
  [{ and: [{ or: [] }, named] }, named],
  [{ nonsense: 1 }, undefined],
  [{ and: [3, null, named, named] }, { and: [named, named] }],
])('groups that hold nothing or one are left out of %j', (given, expected) => {
  expect(written(treeOf(given)).filter).toEqual(expected);
});

test('filters that ask the same are equal, whatever groups are around them', () => {
  expect(isSame({ and: [named] }, named)).toBe(true);
  expect(isSame(undefined, { and: [] })).toBe(true);
  expect(isSame({ and: [named, wrong] }, { or: [named, wrong] })).toBe(false);
  expect(isSame({ not: named }, named)).toBe(false);
});

test.each<Filter>([
  wrong,
  { and: [named, wrong] },
  { or: [{ and: [named, named] }, { not: wrong }] },
  { not: { and: [named, { or: [wrong, named] }] } },
])('the API names a wrong condition at its place in %j', async (given) => {
  const tree = treeOf(given);
  const { filter, places } = written(tree);
  const { body } = await search(filter);
  const ids = conditionsIn(tree).flatMap(({ id, field }) => (field === 'leadScore' ? [id] : []));
  expect(body.details.fields.map(({ field }: { field: string }) => field)).toEqual(
    ids.map((id) => `${places.get(id)}.value`),
  );
});

const nested = (depth: number): Filter =>
  depth === 1 ? named : { [depth % 2 ? 'and' : 'or']: [named, nested(depth - 1)] };

test.each([1, 4, 5, 6])('a filter of %i levels fits if the API takes it', async (depth) => {
  const { status } = await search(nested(depth));
  expect(fits(treeOf(nested(depth)))).toBe(status === 200);
});

test.each([50, 51])('a filter of %i conditions fits if the API takes it', async (number) => {
  const filter = { and: Array.from({ length: number - 2 }, () => named).concat([{ or: [named, named] } as never]) };
  const { status } = await search(filter);
  expect(fits(treeOf(filter))).toBe(status === 200);
});

test('the API knows every declared field and operator', async () => {
  for (const [object, path] of Object.entries({
    contact: 'contacts',
    company: 'companies',
    deal: 'deals',
    task: 'tasks',
  })) {
    const fields = Object.entries(searchFields[object as keyof typeof searchFields]);
    for (let at = 0; at < fields.length; at += 20) {
      const or = fields.slice(at, at + 20).map(([field]) => ({ field, op: 'isSet' }));
      expect((await live.post(`/v1/${path}/search`, { filter: { or } })).status).toBe(200);
    }
  }
  expect(Object.keys(operatorsOfKinds)).toContain('tag');
});
