import { beforeAll, expect, test } from 'vitest';
import { operator } from '#lib/core/tenant.ts';
import { createSavedReply } from '#lib/messages/saved-replies.ts';
import { transact } from '#lib/table/transact.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

const path = '/v1/saved-replies';
let workspace: TestWorkspace;
let live: TestWorkspace['live'];
beforeAll(async () => {
  workspace = await newWorkspace();
  ({ live } = workspace);
});

const create = async (fields: object) => (await live.post(path, { text: 'Hello', ...fields }, 201)).body;

test('a saved reply is created, listed, read, changed, and deleted', async () => {
  const created = await live.post(path, { name: ' Thanks ', text: 'Hi {{firstName|there}}', shortcut: 'thx-1' });
  const { id } = created.body;
  expect(created.status).toBe(201);
  expect(created.headers['location']).toBe(`${path}/${id}`);
  expect(created.body).toEqual({
    id: expect.any(Number),
    name: 'Thanks',
    text: 'Hi {{firstName|there}}',
    shortcut: 'thx-1',
    createdAt: expect.any(String),
    updatedAt: null,
  });
  expect((await live.get(`${path}/${id}`)).body).toEqual(created.body);
  expect((await live.get(path)).body).toEqual({ items: [created.body], nextCursor: null, hasMore: false });
  expect((await live.patch(`${path}/${id}`, { shortcut: null })).body).toEqual({
    ...created.body,
    shortcut: null,
    updatedAt: expect.any(String),
  });
  expect((await live.delete(`${path}/${id}`)).body).toEqual({ id, deleted: true });
  expect((await live.get(`${path}/${id}`)).status).toBe(404);
  await live.delete(`${path}/${id}`, 404);
});

test('names and shortcuts are unique until they are free again', async () => {
  const one = await create({ name: 'One', shortcut: 'one' });
  const two = await create({ name: 'Two', shortcut: 'two' });
  const refusals = [
    await live.post(path, { name: 'ONE', text: 'x' }, 409),
    await live.post(path, { name: 'Other', text: 'x', shortcut: 'one' }, 409),
    await live.patch(`${path}/${two.id}`, { name: 'one' }, 409),
    await live.patch(`${path}/${two.id}`, { shortcut: 'one' }, 409),
  ];
  expect(refusals.map(({ body }) => body.details)).toEqual(
    ['name', 'shortcut', 'name', 'shortcut'].map((field) => ({
      ...because(`saved_reply_${field}_taken`),
      savedReplyId: one.id,
    })),
  );
  await live.patch(`${path}/${one.id}`, { name: 'ONE', text: 'again' }, 200);
  await live.patch(`${path}/${one.id}`, { name: 'First', shortcut: 'first' }, 200);
  await live.patch(`${path}/${two.id}`, { name: 'One', shortcut: 'one' }, 200);
  await live.delete(`${path}/${one.id}`);
  await create({ name: 'first', shortcut: 'first' });
  expect((await workspace.test.post(path, { name: 'One', text: 'x', shortcut: 'one' })).status).toBe(201);
});

test('one of several calls at once takes a name', async () => {
  const made = await Promise.all([1, 2, 3].map(() => live.post(path, { name: 'Race', text: 'x' })));
  expect(made.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
});

test.each([
  ['name', {}, 'required'],
  ['name', { name: 'x'.repeat(81) }, 'too_long'],
  ['text', { text: ' ' }, 'required'],
  ['text', { text: 'x'.repeat(4001) }, 'too_long'],
  ['text', { text: 'Hi {{nobody}}' }, 'invalid_format'],
  ['shortcut', { shortcut: 'a b' }, 'invalid_format'],
  ['shortcut', { shortcut: 'Abc' }, 'invalid_format'],
  ['shortcut', { shortcut: 'x'.repeat(33) }, 'too_long'],
])('a saved reply with a bad %s is refused: %j', async (field, fields, code) => {
  const name = field === 'name' ? {} : { name: 'Bad' };
  const { status, body } = await live.post(path, { text: 'x', ...name, ...fields });
  expect([status, body.details.fields]).toEqual([400, [expect.objectContaining({ field, code })]]);
});

test('there are at most 200 saved replies', async () => {
  const { id, live: fresh } = await newWorkspace();
  const ids: number[] = [];
  for (let from = 0; from < 200; from += 50)
    await transact({ workspaceId: id, env: 'live' }, operator, async (tx) => {
      for (let n = from; n < from + 50; n += 1)
        ids.push((await createSavedReply(tx, { name: `Reply ${n}`, text: 'x' })).id);
    });
  const { body } = await fresh.post(path, { name: 'One more', text: 'x' }, 409);
  expect(body.details).toEqual({ ...because('limit_reached'), limit: 200 });
  await fresh.patch(`${path}/${ids[0]}`, { name: 'Renamed' }, 200);
  await fresh.delete(`${path}/${ids[1]}`);
  await fresh.post(path, { name: 'Reply 201', text: 'x' }, 201);
});

test.each(['contacts:read', 'contacts:write'] as const)('a key needs %s', async (scope) => {
  const { client } = await workspace.mint({
    scopes: ['contacts:read', 'contacts:write'].filter((one) => one !== scope) as [],
  });
  const { status } =
    scope === 'contacts:read' ? await client.get(path) : await client.post(path, { name: 'x', text: 'x' });
  expect(status).toBe(403);
});
