import { beforeAll, expect, test } from 'vitest';
import { detaching } from '#lib/contacts/delete-tag.ts';
import { removeTag } from '#lib/contacts/tags.ts';
import { operator } from '#lib/core/tenant.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { TagCounts, Tags } from '#lib/entities/tag.ts';
import { newSaga, Sagas } from '#lib/table/saga.ts';
import { transact } from '#lib/table/transact.ts';
import { eventually, everyItem } from '#test/client.ts';
import { eventsAbout } from '#test/feed.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const tenant = () => ({ workspaceId: workspace.id, env: 'live' as const });
const newTag = async (name: string) => (await workspace.live.post('/v1/tags', { name })).body;
const newContact = async () => (await workspace.live.post('/v1/contacts', { name: 'Ada' })).body.id as number;
const newContacts = async (count: number) => {
  const ids: number[] = [];
  for (let left = count; left > 0; left -= 100) {
    const items = Array.from({ length: Math.min(100, left) }, () => ({ op: 'create', name: 'Ada' }));
    const { body } = await workspace.live.post('/v1/contacts/batch', { items });
    ids.push(...body.results.map(({ contact }: { contact: { id: number } }) => contact.id));
  }
  return ids;
};
const attachAll = async (ids: number[], tagId: number) => {
  for (let start = 0; start < ids.length; start += 100) {
    const items = ids.slice(start, start + 100).map((id) => ({ op: 'addTag', id, tagId }));
    const { body } = await workspace.live.post('/v1/contacts/batch', { items });
    expect(body.failed).toBe(0);
  }
};
const countOf = async (tagId: number) =>
  (await workspace.live.get('/v1/tags')).body.items.find(({ id }: { id: number }) => id === tagId)?.contactCount;

/** What is stored, whether readers see it or not. */
const tagsOn = async (ids: number[]) => {
  const places = ids.map((id) => ({ id }));
  const contacts = await transact(tenant(), operator, (tx) => tx.findAll(Contacts, places));
  return contacts.flatMap(({ tagIds }) => tagIds);
};

test('the environments and other workspaces see nothing of a tag, and may use its name', async () => {
  const stranger = await newWorkspace();
  const { id } = await newTag('Own');
  for (const client of [workspace.test, stranger.live]) {
    expect((await client.get('/v1/tags')).body.items).toEqual([]);
    await client.delete(`/v1/tags/${id}`, 404);
    await client.post('/v1/tags', { name: 'Own' }, 201);
  }
  expect((await workspace.live.get('/v1/tags', { q: 'Own' })).body.items).toMatchObject([{ id, name: 'Own' }]);
  await workspace.live.delete(`/v1/tags/${id}`, 200);
});

test('a tag has the given color, or one that follows from its name', async () => {
  const { status, body } = await workspace.live.post('/v1/tags', { name: ' Hot lead ', color: '#AABBCC' });
  expect([status, body]).toEqual([
    201,
    { id: expect.any(Number), name: 'Hot lead', color: '#aabbcc', contactCount: 0 },
  ]);
  const [first, second] = await Promise.all([newWorkspace(), newWorkspace()]);
  const colours = await Promise.all(
    [first, second].map(async ({ live }) => (await live.post('/v1/tags', { name: 'VIP' })).body.color),
  );
  expect(colours[0]).toMatch(/^#[0-9a-f]{6}$/);
  expect(colours[0]).toBe(colours[1]);
});

test('the dictionary is listed by name', async () => {
  const { live } = await newWorkspace();
  for (const name of ['b', 'C', 'a']) await live.post('/v1/tags', { name });
  expect((await live.get('/v1/tags')).body.items.map(({ name }: { name: string }) => name)).toEqual(['a', 'b', 'C']);
});

test.each([{}, { name: '' }, { name: 'x'.repeat(51) }, { name: 'x', color: 'red' }])(
  'the tag %.30j is refused',
  async (body) => {
    await workspace.live.post('/v1/tags', body, 400);
  },
);

test('a name is taken once, in any case, under concurrent calls', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      workspace.live.post('/v1/tags', { name: index % 2 ? 'Twenty' : 'TWENTY' }),
    ),
  );
  const [made] = answers.filter(({ status }) => status === 201);
  const refused = answers.filter(({ status }) => status === 409);
  expect(refused).toHaveLength(19);
  for (const { body } of refused) expect(body.details).toEqual({ ...because('tag_name_taken'), tagId: made?.body.id });
});

test('a rename frees the old name, keeps the new one, and shows on every contact', async () => {
  const tag = await newTag('before');
  const other = await newTag('other');
  const id = await newContact();
  await workspace.live.post(`/v1/contacts/${id}/tags`, { tagId: tag.id });
  const { status, body } = await workspace.live.patch(`/v1/tags/${tag.id}`, { name: 'After', color: '#000000' });
  expect([status, body]).toEqual([200, { id: tag.id, name: 'After', color: '#000000', contactCount: 1 }]);
  expect((await workspace.live.get(`/v1/contacts/${id}`)).body.tags).toEqual([
    { id: tag.id, name: 'After', color: '#000000' },
  ]);
  expect((await workspace.live.patch(`/v1/tags/${tag.id}`, { name: 'AFTER' })).body.name).toBe('AFTER');
  expect((await workspace.live.patch(`/v1/tags/${other.id}`, { name: 'after' })).body.details).toEqual({
    ...because('tag_name_taken'),
    tagId: tag.id,
  });
  await workspace.live.post('/v1/tags', { name: 'Before' }, 201);
  await workspace.live.patch('/v1/tags/999999', { name: '' }, 404);
});

test('attaching is idempotent, makes a missing tag by name, and is recorded and announced', async () => {
  const id = await newContact();
  const path = `/v1/contacts/${id}/tags`;
  const { status, body } = await workspace.live.post(path, { tagName: 'By Name' });
  const again = await workspace.live.post(path, { tagName: 'by name' });
  expect([status, body, again.body]).toEqual([
    200,
    [{ id: expect.any(Number), name: 'By Name', color: expect.any(String) }],
    body,
  ]);
  const other = await newTag('A first');
  expect((await workspace.live.post(path, { tagId: other.id })).body.map(({ name }: { name: string }) => name)).toEqual(
    ['A first', 'By Name'],
  );
  const tagId = body[0].id;
  const left = await workspace.live.delete(`${path}/${tagId}`);
  expect([left.status, left.body.length, (await workspace.live.delete(`${path}/${tagId}`)).status]).toEqual([
    200, 1, 200,
  ]);
  expect((await workspace.live.get(path)).body).toEqual(left.body);
  expect([await countOf(tagId), await countOf(other.id)]).toEqual([0, 1]);
  const activities = await everyItem(workspace.live, `/v1/contacts/${id}/activities`, { type: 'TagAdded,TagRemoved' });
  expect(activities.map((one) => [one.type, one.tagId, one.oldValue, one.newValue])).toEqual([
    ['TagRemoved', tagId, 'By Name', null],
    ['TagAdded', other.id, null, 'A first'],
    ['TagAdded', tagId, null, 'By Name'],
  ]);
  const events = await eventsAbout(workspace.id, `contact/${id}`, 4);
  expect(events.slice(1).map(({ event, data }) => [event, data.changed, data.changes])).toEqual([
    ['contact.updated', ['tags'], { tags: { from: [], to: ['By Name'] } }],
    ['contact.updated', ['tags'], { tags: { from: ['By Name'], to: ['A first', 'By Name'] } }],
    ['contact.updated', ['tags'], { tags: { from: ['A first', 'By Name'], to: ['A first'] } }],
  ]);
});

test('an unknown tag is 404, and a missing one is 400', async () => {
  const id = await newContact();
  await workspace.live.post(`/v1/contacts/${id}/tags`, { tagId: 999_999 }, 404);
  await workspace.live.delete(`/v1/contacts/${id}/tags/999999`, 404);
  await workspace.live.post(`/v1/contacts/${id}/tags`, {}, 400);
});

test('twenty contacts tagged at once by a new name share one tag with an exact count', async () => {
  const ids = await newContacts(20);
  const attached = await Promise.all(
    ids.map((id) => workspace.live.post(`/v1/contacts/${id}/tags`, { tagName: 'rush' })),
  );
  expect(new Set(attached.map(({ status }) => status))).toEqual(new Set([200]));
  const tagId = attached[0]?.body[0].id;
  expect(new Set(attached.map(({ body }) => body[0].id))).toEqual(new Set([tagId]));
  expect(await countOf(tagId)).toBe(20);
  await Promise.all(ids.slice(0, 7).map((id) => workspace.live.delete(`/v1/contacts/${id}/tags/${tagId}`)));
  expect(await countOf(tagId)).toBe(13);
});

test('one contact tagged twenty times at once counts once', async () => {
  const id = await newContact();
  const tag = await newTag('once');
  await Promise.all(
    Array.from({ length: 20 }, () => workspace.live.post(`/v1/contacts/${id}/tags`, { tagId: tag.id })),
  );
  expect(await countOf(tag.id)).toBe(1);
});

test('a contact carries at most a hundred tags', async () => {
  const { live } = await newWorkspace();
  const { id } = (await live.post('/v1/contacts', { name: 'Ada' })).body;
  const items = Array.from({ length: 100 }, (_, index) => ({ op: 'addTag', id, tagName: `t${index}` }));
  await live.post('/v1/contacts/batch', { items }, 200);
  const { status, body } = await live.post(`/v1/contacts/${id}/tags`, { tagName: 'one more' });
  expect([status, body.details.fields[0].code]).toEqual([400, 'too_many']);
  expect((await live.get('/v1/tags')).body.items).toHaveLength(100);
});

test('a workspace has at most a thousand tags, also when many are made at once', async () => {
  const { id, live } = await newWorkspace();
  await transact({ workspaceId: id, env: 'live' }, operator, async (tx) => {
    tx.create(TagCounts, { id: 1, count: 995 });
  });
  const { id: contactId } = (await live.post('/v1/contacts', { name: 'Ada' })).body;
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => live.post('/v1/tags', { name: `n${index}` })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(5).fill(201), ...Array(5).fill(409)]);
  expect(answers.find(({ status }) => status === 409)?.body.details.reason).toBe('limit_reached');
  await live.post(`/v1/contacts/${contactId}/tags`, { tagName: 'new' }, 400);
});

test('a deleted tag is removed from more contacts than one transaction holds', async () => {
  const tag = await newTag('doomed');
  const ids = await newContacts(120);
  await attachAll(ids, tag.id);
  expect(await countOf(tag.id)).toBe(120);
  const { status, body } = await workspace.live.delete(`/v1/tags/${tag.id}`);
  expect([status, body]).toEqual([200, { id: tag.id, deleted: true }]);
  expect(await countOf(tag.id)).toBeUndefined();
  expect(await tagsOn(ids)).toEqual([]);
  const last = ids.at(-1) as number;
  const [removed] = await everyItem(workspace.live, `/v1/contacts/${last}/activities`, { type: 'TagRemoved' });
  expect(removed).toMatchObject({ tagId: tag.id, oldValue: 'doomed' });
  expect((await eventsAbout(workspace.id, `contact/${last}`, 3))[2]?.data.changes).toEqual({
    tags: { from: ['doomed'], to: [] },
  });
  await workspace.live.delete(`/v1/tags/${tag.id}`, 404);
  await workspace.live.post('/v1/tags', { name: 'Doomed' }, 201);
});

test('a deletion that a crash interrupted shows nobody the tag, and is completed by the worker', async () => {
  const tag = await newTag('half gone');
  const ids = await newContacts(60);
  await attachAll(ids, tag.id);
  await transact(tenant(), operator, async (tx) => {
    await removeTag(tx, await tx.get(Tags, { id: tag.id }));
    tx.create(Sagas, { ...newSaga(tx, detaching, { tag }), dueAt: tx.now });
  });
  expect((await workspace.live.get('/v1/contacts', { tagId: tag.id })).body.items).toEqual([]);
  expect((await workspace.live.get(`/v1/contacts/${ids[0]}`)).body.tags).toEqual([]);
  expect((await workspace.live.get(`/v1/contacts/${ids[0]}/tags`)).body).toEqual([]);
  await workspace.live.post(`/v1/contacts/${ids[0]}/tags`, { tagId: tag.id }, 404);
  await eventually(async () => (await tagsOn(ids)).length === 0, 'the worker to take the tag off', 60_000);
  for (const id of [ids[0], ids[59]])
    expect(await everyItem(workspace.live, `/v1/contacts/${id}/activities`, { type: 'TagRemoved' })).toHaveLength(1);
});
