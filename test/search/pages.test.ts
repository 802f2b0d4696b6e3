import { beforeAll, expect, test } from 'vitest';
import { advance } from '#test/harness.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let live: TestWorkspace['live'];
const names = ['Örn', 'zoe', 'Ann', 'Bob', 'ann', 'Émile', 'Zoe'];

beforeAll(async () => {
  ({ live } = await newWorkspace());
  await live.post('/v1/fields', { object: 'deal', slug: 'size', title: 'Size', type: 'number' }, 201);
  for (const [index, title] of names.entries())
    await live.post('/v1/deals', { title, value: index % 3, ...(index % 2 && { fields: { size: index } }) }, 201);
});

const search = async (body: object, status = 200) => (await live.post('/v1/deals/search', body, status)).body;
const titles = ({ items }: { items: { title: string }[] }) => items.map(({ title }) => title);

/** The titles of all pages. */
async function everyPage(body: object, between = async () => {}): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | null = null;
  do {
    const page: { items: { title: string }[]; nextCursor: string | null; hasMore: boolean } = await search({
      ...body,
      ...(cursor && { cursor }),
    });
    found.push(...titles(page));
    expect(page.hasMore).toBe(page.nextCursor !== null);
    cursor = page.nextCursor;
    await between();
  } while (cursor !== null);
  return found;
}

test.each<[string, object[] | undefined, string[]]>([
  ['newest first by default', undefined, [...names].reverse()],
  ['text by the root collation', [{ field: 'title' }], ['ann', 'Ann', 'Bob', 'Émile', 'Örn', 'zoe', 'Zoe']],
  ['text downwards', [{ field: 'title', direction: 'desc' }], ['Zoe', 'zoe', 'Örn', 'Émile', 'Bob', 'Ann', 'ann']],
  [
    'two fields',
    [{ field: 'value', direction: 'desc' }, { field: 'title' }],
    ['Ann', 'Émile', 'ann', 'zoe', 'Bob', 'Örn', 'Zoe'],
  ],
  ['no value last', [{ field: 'fields.size' }], ['zoe', 'Bob', 'Émile', 'Zoe', 'ann', 'Ann', 'Örn']],
  [
    'no value first',
    [{ field: 'fields.size', direction: 'desc', nulls: 'first' }],
    ['Zoe', 'ann', 'Ann', 'Örn', 'Émile', 'Bob', 'zoe'],
  ],
])('a search orders %s, also over pages', async (_, sort, expected) => {
  expect(titles(await search({ sort }))).toEqual(expected);
  for (const limit of [1, 3]) expect(await everyPage({ sort, limit })).toEqual(expected);
});

test('pages keep their place when others are made, changed, archived, and sorted before it', async () => {
  const { live: other } = await newWorkspace();
  const make = async (title: string) => (await other.post('/v1/deals', { title }, 201)).body.id;
  const ids = new Map<string, number>();
  for (const title of ['B', 'D', 'F', 'H']) ids.set(title, await make(title));
  const page = async (cursor?: string) =>
    (await other.post('/v1/deals/search', { sort: [{ field: 'title' }], limit: 2, cursor }, 200)).body;
  const first = await page();
  expect(titles(first)).toEqual(['B', 'D']);
  await make('A');
  await make('E');
  await other.patch(`/v1/deals/${ids.get('D')}`, { title: 'C' }, 200);
  const archive = (title: string) => other.post(`/v1/deals/${ids.get(title)}/archive`, {}, 200);
  await archive('B');
  await archive('D');
  const second = await page(first.nextCursor);
  expect(titles(second)).toEqual(['E', 'F']);
  await archive('F');
  expect(titles(await page(second.nextCursor))).toEqual(['H']);
});

test('a search counts all that fits when it is asked to', async () => {
  const filter = { field: 'value', op: 'gt', value: 0 };
  expect(await search({ filter, limit: 1, count: true })).toMatchObject({ total: 4, hasMore: true });
  expect(await search({ filter, limit: 1 })).not.toHaveProperty('total');
  expect(await search({ filter: { field: 'value', op: 'gt', value: 9 }, count: true })).toEqual({
    items: [],
    nextCursor: null,
    hasMore: false,
    total: 0,
  });
});

test('the limit is clamped, and members are added that include names', async () => {
  expect(titles(await search({ limit: 0 }))).toHaveLength(1);
  expect(titles(await search({ limit: 1000 }))).toHaveLength(7);
  const [deal] = (await search({ include: 'fields,owner', q: 'bob' })).items;
  expect(deal).toMatchObject({ title: 'Bob', stage: 'Lead', fields: { size: 3 }, owner: { assignedToUserId: null } });
  expect((await search({})).items[0]).not.toHaveProperty('fields');
});

test('a cursor keeps the time of its first page, and belongs to its body', async () => {
  const body = { filter: { field: 'createdAt', op: 'lte', value: 'now' }, limit: 6, sort: [{ field: 'title' }] };
  const { nextCursor } = await search(body);
  await advance(5000);
  await live.post('/v1/deals', { title: 'zzz' }, 201);
  expect(titles(await search({ ...body, cursor: nextCursor }))).toEqual(['Zoe']);
  for (const other of [
    { q: 'z' },
    { sort: [] },
    { timeZone: 'Asia/Tokyo' },
    { filter: { field: 'title', op: 'isSet' } },
  ])
    expect((await search({ ...body, ...other, cursor: nextCursor }, 400)).details.fields).toMatchObject([
      { field: 'cursor', code: 'invalid_format' },
    ]);
  for (const cursor of ['x', 'W10', '']) await search({ ...body, cursor }, 400);
});

test.each<[string, object, string, string]>([
  ['an unknown field to sort by', { sort: [{ field: 'nothing' }] }, 'sort[0].field', 'unknown_reference'],
  ['four fields to sort by', { sort: Array.from({ length: 4 }, () => ({ field: 'id' })) }, 'sort', 'too_many'],
  ['a wrong direction', { sort: [{ field: 'id', direction: 'up' }] }, 'sort[0].direction', 'invalid_enum'],
  ['a wrong zone', { timeZone: 'Mars/Base' }, 'timeZone', 'invalid_format'],
  ['an unknown member to include', { include: 'companies' }, 'include', 'invalid_enum'],
  ['a word for archived', { archived: 'some' }, 'archived', 'invalid_enum'],
  ['a limit that is no integer', { limit: 1.5 }, 'limit', 'invalid_type'],
])('a search refuses %s', async (_, body, field, code) => {
  const [first] = (await search(body, 400)).details.fields;
  expect(first).toMatchObject({ field, code });
});

test('lists have no order', async () => {
  const { body } = await live.post('/v1/contacts/search', { sort: [{ field: 'tags' }] }, 400);
  expect(body.message).toBe('sort[0].field has several values, which have no order');
});

test('words are found in any order, case, and accent, and phones by their digits', async () => {
  const find = async (object: string, q: string) =>
    (await live.post(`/v1/${object}/search`, { q }, 200)).body.items.map(({ name }: { name: string }) => name);
  await live.post(
    '/v1/contacts',
    {
      name: 'Müller, Jürgen',
      username: 'kugel_7',
      email: 'jm@acme.example',
      phone: '+49 (170) 123-45-67',
      company: 'Zahnrad AG',
    },
    201,
  );
  await live.post('/v1/companies', { name: 'Acme Maschinenbau', domains: ['acme-machines.com'] }, 201);
  const texts = ['jurgen muller', 'mueller', 'acme.example', '@Kugel_7', 'kugel', 'zahnrad muller'];
  for (const q of [...texts, '0170 1234567', '00491701234567', '123 45 67'])
    expect(await find('contacts', q), q).toEqual(['Müller, Jürgen']);
  expect(await find('contacts', 'muller acmx')).toEqual([]);
  for (const q of ['maschinen acme', 'machines.com'])
    expect(await find('companies', q), q).toEqual(['Acme Maschinenbau']);
});

test('a search changes nothing: no audit entry, no kept answer', async () => {
  const count = async () => (await live.get('/v1/audit-events')).body.items.length;
  const before = await count();
  const options = { headers: { 'Idempotency-Key': 'search-1' } };
  await live.call('POST', '/v1/deals/search', { body: { limit: 1 }, ...options });
  const again = await live.call('POST', '/v1/deals/search', { body: { limit: 2 }, ...options });
  expect(again.status).toBe(200);
  expect(again.headers).not.toHaveProperty('idempotency-replayed');
  await live.post('/v1/deals/search', { limit: 'x' }, 400);
  expect(await count()).toBe(before);
});
