import { beforeAll, expect, test } from 'vitest';
import { roundTripsOf } from '#test/between.ts';
import { advance } from '#test/harness.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let live: TestWorkspace['live'];
let id: number;
let other: number;

beforeAll(async () => {
  ({ live } = await newWorkspace());
  const make = async (name: string) => (await live.post('/v1/contacts', { name, phone: '+1 555 0100' })).body.id;
  [id, other] = [await make('Ada'), await make('Bo')];
});

const at = expect.stringMatching(/^\d{4}-.*Z$/);
const included = '?include=updatedAt';

test('a contact has updatedAt only when include names it', async () => {
  await live.patch(`/v1/contacts/${id}`, { notes: 'changed' });
  for (const path of [`/v1/contacts/${id}`, '/v1/contacts', `/v1/contacts/${other}/duplicates`]) {
    const plain = (await live.get(path)).body;
    const more = (await live.get(path, { include: 'updatedAt' })).body;
    const contactOf = (body: typeof plain) => body.items?.find((one: { id: number }) => one.id === id) ?? body;
    expect(contactOf(plain)).not.toHaveProperty('updatedAt');
    expect(contactOf(more)).toEqual({ ...contactOf(plain), updatedAt: at });
  }
  expect((await live.get(`/v1/contacts/${other}`, { include: 'UpdatedAt' })).body).toMatchObject({ updatedAt: null });
});

test.each([
  ['POST', (): string => '/v1/contacts', { name: 'Cy' }, null],
  ['POST', (): string => '/v1/contacts/upsert', { matchOn: 'username', name: 'Di', username: 'di' }, null],
  ['PATCH', (): string => `/v1/contacts/${id}`, { notes: 'again' }, at],
  ['POST', (): string => `/v1/contacts/${id}/stage`, { stage: 'qualified' }, at],
  ['POST', (): string => `/v1/contacts/${id}/lead-score`, { score: 7 }, at],
  ['POST', (): string => `/v1/contacts/${id}/assignee`, { userId: null }, at],
] as const)('%s %s answers updatedAt when include names it', async (method, path, body, updatedAt) => {
  const send = method === 'POST' ? live.post : live.patch;
  expect((await send(`${path()}${included}`, body)).body).toMatchObject({ updatedAt });
  expect((await send(path(), body)).body).not.toHaveProperty('updatedAt');
});

test('lists and searches of contacts have the tags of each when include names them', async () => {
  const tag = (await live.post(`/v1/contacts/${other}/tags`, { tagName: 'vip' })).body[0];
  const include = 'tags';
  const { tags } = (await live.get(`/v1/contacts/${other}`, { include })).body;
  expect(tags).toEqual([{ id: tag.id, name: 'vip', color: tag.color }]);
  for (const { items } of [
    (await live.get('/v1/contacts', { include })).body,
    (await live.post('/v1/contacts/search', { include })).body,
    (await live.get(`/v1/contacts/${id}/duplicates`, { include })).body,
  ])
    expect(items).toContainEqual(expect.objectContaining({ id: other, tags }));
  const { items } = (await live.get('/v1/contacts', { include })).body;
  expect(items).toContainEqual(expect.objectContaining({ id, tags: [] }));
  expect((await live.get('/v1/contacts')).body.items[0]).not.toHaveProperty('tags');
});

test.each(['archived', 'updatedAt,name', 'updatedAt,', ','])('include refuses %s', async (include) => {
  for (const path of ['/v1/contacts', `/v1/contacts/${id}`])
    expect(await live.get(path, { include })).toMatchObject({
      status: 400,
      body: { details: { fields: [{ field: 'query.include', code: 'invalid_enum' }] } },
    });
});

test('If-Match takes the ETag of a contact with updatedAt until the contact changes', async () => {
  const path = `/v1/contacts/${id}`;
  const tagOf = async () => (await live.get(path, { include: 'updatedAt' })).headers['etag'] as string;
  const first = await tagOf();
  await advance(2000);
  await live.put(`${path}/metadata`, { metadata: { a: '1' } });
  const second = await tagOf();
  expect(second).not.toBe(first);
  for (const [tag, status] of [
    [second, 200],
    [second, 412],
  ] as const)
    expect((await live.patch(path, { company: 'Analytical' }, { 'if-match': tag })).status).toBe(status);
});

test('a page of 100 contacts with values, companies, and addresses takes two round trips more at most', async () => {
  const { live: client } = await newWorkspace();
  await client.post('/v1/fields', { object: 'contact', slug: 'code', title: 'Code', type: 'text' }, 201);
  const company = (await client.post('/v1/companies', { name: 'Engines', domains: ['round-trips.com'] }, 201)).body;
  const items = Array.from({ length: 100 }, (_, n) => ({
    ...{ op: 'create', name: `Ada ${n}`, email: `ada${n}@round-trips.com` },
    fields: { code: `C-${n}` },
  }));
  await client.post('/v1/contacts/batch', { items }, 200);
  const list = (query: object) => client.get('/v1/contacts', { limit: 100, ...query }, 200);
  // The first call of a function primes it.
  for (const query of [{}, { include: 'fields,companies,addresses' }]) await list(query);
  const plain = await roundTripsOf(() => list({}));
  const whole = await roundTripsOf(async () => {
    const { body } = await list({ include: 'fields,companies,addresses' });
    expect(body.items).toHaveLength(100);
    expect(body.items[0]).toMatchObject({
      fields: { code: expect.any(String) },
      companies: [{ companyId: company.id }],
      addresses: [{ kind: 'email' }],
    });
  });
  expect(plain).toBeGreaterThan(0);
  expect(whole - plain).toBeLessThanOrEqual(2);
});
