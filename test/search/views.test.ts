import { beforeAll, expect, test } from 'vitest';
import { operator } from '#lib/core/tenant.ts';
import { type StoredView, Views } from '#lib/entities/view.ts';
import { listAll } from '#lib/table/list.ts';
import { transact } from '#lib/table/transact.ts';
import type { Client } from '#test/client.ts';
import { settle } from '#test/harness.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let live: TestWorkspace['live'];
beforeAll(async () => {
  workspace = await newWorkspace();
  ({ live } = workspace);
});

const hot = { field: 'leadScore', op: 'gte', value: 50 };

test('a view is created, listed, read, changed, and deleted', async () => {
  const { body: view } = await live.post(
    '/v1/views',
    { object: 'contact', name: ' Hot leads ', filter: hot, sort: [{ field: 'name' }], columns: ['name', 'leadScore'] },
    201,
  );
  expect(view).toEqual({
    id: expect.any(Number),
    object: 'contact',
    name: 'Hot leads',
    filter: hot,
    sort: [{ field: 'name', direction: 'asc', nulls: 'last' }],
    columns: ['name', 'leadScore'],
    isShared: false,
    ownerUserId: null,
    createdAt: expect.any(String),
    updatedAt: null,
  });
  expect((await live.get(`/v1/views/${view.id}`)).body).toEqual(view);
  expect((await live.get('/v1/views', { object: 'contact' })).body).toEqual({
    items: [view],
    nextCursor: null,
    hasMore: false,
  });
  expect((await live.get('/v1/views', { object: 'deal,task' })).body.items).toEqual([]);
  const changed = (await live.patch(`/v1/views/${view.id}`, { filter: null, sort: [] }, 200)).body;
  expect(changed).toEqual({ ...view, filter: null, sort: [], updatedAt: expect.any(String) });
  await live.patch(`/v1/views/${view.id}`, { object: 'deal' }, 400);
  await live.delete(`/v1/views/${view.id}`, 200);
  await live.get(`/v1/views/${view.id}`, {}, 404);
});

test('a view keeps its ETag and leads to all pages, in whatever order its filter is stored', async () => {
  const of = await newWorkspace();
  for (let at = 0; at < 4; at += 1) await of.live.post('/v1/contacts', { name: `Person ${at}`, phone: '1234567' }, 201);
  const filter = { value: 'nobody', op: 'ne', field: 'name' };
  const made = await of.live.post('/v1/views', { object: 'contact', name: 'All', filter }, 201);
  const path = `/v1/views/${made.body.id}`;
  const tags = new Set([made.headers['etag']]);
  for (let again = 0; again < 8; again += 1) tags.add((await of.live.get(path)).headers['etag']);
  expect(tags.size).toBe(1);
  await of.live.patch(path, { name: 'Everybody' }, 200, { 'If-Match': [...tags][0] as string });
  const names: string[] = [];
  for (let cursor: string | null = null; names.length < 4; ) {
    const { body } = await of.live.post('/v1/contacts/search', { viewId: made.body.id, limit: 1, cursor, q: '' }, 200);
    names.push(...body.items.map(({ name }: { name: string }) => name));
    cursor = body.nextCursor;
  }
  expect(names).toEqual(['Person 3', 'Person 2', 'Person 1', 'Person 0']);
});

test('null leaves out what a search may lack, and empties what a view has', async () => {
  const none = { q: null, filter: null, sort: null, cursor: null, timeZone: null, viewId: null };
  await live.post('/v1/contacts/search', none, 200);
  const input = { object: 'contact', name: 'None', filter: null, sort: null, columns: null };
  const { body: view } = await live.post('/v1/views', input, 201);
  expect(view).toMatchObject({ filter: null, sort: [], columns: [] });
  await live.patch(`/v1/views/${view.id}`, { sort: [{ field: 'name' }], columns: ['name'] }, 200);
  const { body: emptied } = await live.patch(`/v1/views/${view.id}`, { sort: null, columns: null }, 200);
  expect(emptied).toMatchObject({ sort: [], columns: [] });
});

test('a view is checked as a search is', async () => {
  const refuse = async (more: object) =>
    (await live.post('/v1/views', { object: 'task', name: 'x', ...more }, 400)).body.details.fields[0];
  expect(await refuse({ filter: { or: [hot] } })).toMatchObject({
    field: 'filter.or[0].field',
    code: 'unknown_reference',
  });
  expect(await refuse({ sort: [{ field: 'stage' }] })).toMatchObject({ field: 'sort[0].field' });
  expect(await refuse({ columns: ['title', 'stage'] })).toMatchObject({
    field: 'columns[1]',
    code: 'unknown_reference',
  });
  for (const name of ['', '  ', 'x'.repeat(81)]) expect(await refuse({ name })).toMatchObject({ field: 'name' });
  for (const name of ['x', 'x'.repeat(80)]) await live.post('/v1/views', { object: 'task', name }, 201);
});

test('a search takes the filter and the order of a view, and adds its own filter', async () => {
  const make = (name: string, leadScore: number) =>
    live.post('/v1/contacts', { name, phone: '1234567', leadScore }, 201);
  for (const [name, score] of [
    ['Ada', 90],
    ['Bo', 10],
    ['Cy', 70],
  ] as const)
    await make(name, score);
  const { id } = (
    await live.post('/v1/views', { object: 'contact', name: 'Hot', filter: hot, sort: [{ field: 'leadScore' }] }, 201)
  ).body;
  const find = async (body: object) =>
    (await live.post('/v1/contacts/search', { viewId: id, ...body }, 200)).body.items.map(
      (one: { name: string }) => one.name,
    );
  expect(await find({})).toEqual(['Cy', 'Ada']);
  expect(await find({ sort: [{ field: 'name' }] })).toEqual(['Ada', 'Cy']);
  expect(await find({ filter: { field: 'name', op: 'eq', value: 'cy' } })).toEqual(['Cy']);
  for (const [path, viewId] of [
    ['deals', id],
    ['contacts', 9999],
  ])
    expect((await live.post(`/v1/${path}/search`, { viewId }, 400)).body.details.fields).toMatchObject([
      { field: 'viewId', code: 'unknown_reference' },
    ]);
});

test('the conditions and levels of a view do not count in the filter of a search or an export', async () => {
  const conditions = Array.from({ length: 30 }, () => ({ field: 'name', op: 'isSet' }));
  const filter = { and: [{ and: [{ and: [{ and: conditions }] }] }] };
  const { id: viewId } = (await live.post('/v1/views', { object: 'contact', name: 'Large', filter }, 201)).body;
  await live.post('/v1/contacts/search', { viewId, filter }, 200);
  await live.post('/v1/exports', { object: 'contacts', format: 'csv', viewId, filter }, 202);
  const tooMany = { and: [...conditions, ...conditions] };
  await live.post('/v1/contacts/search', { viewId, filter: tooMany }, 400);
});

test('a view whose field was archived says so, and works again when it is back', async () => {
  const { id: fieldId } = (
    await live.post('/v1/fields', { object: 'deal', slug: 'size', title: 'Size', type: 'number' }, 201)
  ).body;
  const filter = { and: [{ not: { field: 'fields.size', op: 'gt', value: 1 } }] };
  const { id } = (await live.post('/v1/views', { object: 'deal', name: 'Small', filter }, 201)).body;
  await live.post(`/v1/fields/${fieldId}/archive`, {}, 200);
  const { body } = await live.post('/v1/deals/search', { viewId: id }, 400);
  expect(body.details).toEqual({ ...because('view_invalid'), field: 'fields.size' });
  await live.post(`/v1/fields/${fieldId}/restore`, {}, 200);
  await live.post('/v1/deals/search', { viewId: id }, 200);
});

test('a view is seen by who made it, and by all when it is shared', async () => {
  const { client: other } = await workspace.mint();
  const { id } = (await live.post('/v1/views', { object: 'task', name: 'Mine' }, 201)).body;
  const sees = async (client: Client) => (await client.call('GET', `/v1/views/${id}`)).status;
  expect([await sees(live), await sees(other)]).toEqual([200, 404]);
  await other.patch(`/v1/views/${id}`, { name: 'x' }, 404);
  await other.patch(`/v1/views/${id}`, { name: 7 }, 404);
  await other.patch(`/v1/views/${id}`, { name: 'x' }, 404, { 'if-match': '"other"' });
  await other
    .call('DELETE', `/v1/views/${id}`, { headers: { 'if-match': '"other"' } })
    .then(({ status }) => expect(status).toBe(404));
  await live.patch(`/v1/views/${id}`, { name: 'x' }, 412, { 'if-match': '"other"' });
  expect((await other.get('/v1/views', { object: 'task' })).body.items).toEqual([]);
  await live.patch(`/v1/views/${id}`, { isShared: true }, 200);
  expect(await sees(other)).toBe(200);
  await other.patch(`/v1/views/${id}`, { name: 'Ours' }, 200);
});

test('a view needs the scope of its object', async () => {
  const { client } = await workspace.mint({ scopes: ['deals:read', 'tasks:write', 'tasks:read'] });
  const { id } = (await live.post('/v1/views', { object: 'contact', name: 'All', isShared: true }, 201)).body;
  const refused = await client.get(`/v1/views/${id}`, {}, 403);
  expect(refused.body.details).toMatchObject({ reason: 'missing_scope', requiredScopes: ['contacts:read'] });
  expect((await client.get('/v1/views', { object: 'contact' })).body.items).toEqual([]);
  await client.post('/v1/views', { object: 'deal', name: 'x' }, 403);
  await client.post('/v1/views', { object: 'task', name: 'x' }, 201);
  await client.delete(`/v1/views/${id}`, 403);
});

test('the views of a key hinder no other key, and go with it unless they are shared', async () => {
  const { id: workspaceId, live: one, mint } = await newWorkspace();
  const { client: other, keyId } = await mint();
  const { body: view } = await other.post('/v1/views', { object: 'task', name: 'Shared', isShared: true }, 201);
  const tenant = { workspaceId, env: 'live' } as const;
  const stored = () => transact(tenant, operator, (tx) => listAll(tx, Views));
  const [template] = await stored();
  for (let from = 1; from < 500; from += 90)
    await transact(tenant, operator, async (tx) => {
      for (let index = from; index < Math.min(from + 90, 500); index += 1)
        tx.create(Views, { ...(template as StoredView), id: view.id + index, isShared: false });
    });
  const given = { object: 'task', name: 'More' };
  const { body } = await other.post('/v1/views', given, 409);
  expect(body.details).toMatchObject({ reason: 'limit_reached', limit: 500 });
  await one.post('/v1/views', { ...given, name: 'Own' }, 201);
  const [key] = (await one.get('/v1/keys', { limit: 100 })).body.items.filter(
    (item: { keyId: string }) => item.keyId === keyId,
  );
  await one.delete(`/v1/keys/${key.id}`, 200);
  await settle();
  expect((await stored()).map(({ name }) => name).sort()).toEqual(['Own', 'Shared']);
});
