import { beforeAll, describe, expect, test } from 'vitest';
import { everyItem } from '#test/client.ts';
import { eventsAbout } from '#test/feed.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const all = () => ({
  ...{ name: 'Given', stage: 'Customer', assignedToUserId: workspace.memberId, leadScore: 42 },
  ...{ tags: ['vip', 'VIP', 'new'], metadata: { crmId: 'x-1' } },
});
const shown = () => ({ stage: 'customer', assignedToUserId: workspace.memberId, leadScore: 42, leadScoreIsAi: false });
const namesIn = ({ tags }: { tags: { name: string }[] }) => tags.map(({ name }) => name);
const metadataOf = async (path: string) => (await workspace.live.get(`${path}/metadata`, undefined, 200)).body.metadata;

describe('a new contact takes everything that it may be given', () => {
  test.each([
    ['POST /v1/contacts', async () => (await workspace.live.post('/v1/contacts', all(), 201)).body],
    [
      'upsert',
      async () => {
        const body = { ...all(), matchOn: 'username', username: 'given.1' };
        return (await workspace.live.post('/v1/contacts/upsert', body, 201)).body;
      },
    ],
    [
      'a batch',
      async () => {
        const items = [{ op: 'create', ...all() }];
        return (await workspace.live.post('/v1/contacts/batch', { items }, 200)).body.results[0].contact;
      },
    ],
  ])('by %s', async (_, create) => {
    const contact = await create();
    expect(contact).toMatchObject(shown());
    expect(namesIn(contact)).toEqual(['new', 'vip']);
    expect((await workspace.live.get(`/v1/contacts/${contact.id}`)).body).toEqual(contact);
    expect(await metadataOf(`/v1/contacts/${contact.id}`)).toEqual({ crmId: 'x-1' });
    const kinds = (await eventsAbout(workspace.id, `contact/${contact.id}`, 1)).map(({ event }) => event);
    expect(kinds).toEqual(['contact.created']);
    const types = await everyItem(workspace.live, `/v1/contacts/${contact.id}/activities`);
    expect(types.map(({ type }) => type).sort()).toEqual(['Created', 'TagAdded', 'TagAdded']);
    const { body: tagged } = await workspace.live.get('/v1/contacts', {
      tagId: contact.tags[0].id,
      stage: 'customer',
      'metadata.crmId': 'x-1',
    });
    expect(tagged.items.map(({ id }: { id: number }) => id)).toContain(contact.id);
  });

  test.each([
    [{ stage: 'nope' }, 'stage', 'invalid_enum'],
    [{ assignedToUserId: 999_999 }, 'assignedToUserId', 'unknown_reference'],
    [{ leadScore: 101 }, 'leadScore', 'out_of_range'],
    [{ tags: 'vip' }, 'tags', 'invalid_type'],
    [{ tags: ['\u200b'] }, 'tags[0]', 'required'],
    [{ tags: Array.from({ length: 21 }, (_, index) => `t${index}`) }, 'tags', 'too_many'],
    [{ metadata: { 'a b': 'x' } }, 'metadata.a b', 'invalid_format'],
    [{ metadata: { a: null } }, 'metadata.a', 'required'],
  ])('but nothing wrong: %j', async (wrong, field, code) => {
    const { status, body } = await workspace.live.post('/v1/contacts', { name: 'Wrong', ...wrong });
    expect([status, body.details.fields]).toEqual([400, [expect.objectContaining({ field, code })]]);
  });
});

test('upsert of a contact that is there adds tags and metadata, in one event', async () => {
  const { live } = workspace;
  const { body: before } = await live.post('/v1/contacts', { ...all(), phone: '+49 170 5550001' }, 201);
  const change = {
    matchOn: 'phone',
    phone: '+491705550001',
    stage: 'lost',
    tags: ['vip', 'late'],
    metadata: { b: '2' },
  };
  const { body: after } = await live.post('/v1/contacts/upsert', change, 200);
  expect([after.id, after.stage, namesIn(after)]).toEqual([before.id, 'lost', ['late', 'new', 'vip']]);
  expect(await metadataOf(`/v1/contacts/${before.id}`)).toEqual({ b: '2', crmId: 'x-1' });
  const events = await eventsAbout(workspace.id, `contact/${before.id}`, 2);
  expect(events.map(({ event, data }) => [event, data.changed])).toEqual([
    ['contact.created', undefined],
    ['contact.updated', ['phone', 'stage', 'metadata', 'tags']],
  ]);
});

describe('matchOn metadata.<key>', () => {
  const upsert = (fields: object) =>
    workspace.live.post('/v1/contacts/upsert', { matchOn: 'metadata.extId', name: 'Ext', ...fields });

  test('makes one contact, and changes it the next time', async () => {
    const long = 'ß'.repeat(500);
    for (const extId of ['42', long]) {
      const first = await upsert({ metadata: { extId } });
      const second = await upsert({ metadata: { extId, more: '1' }, name: 'Ext 2' });
      expect([first.status, second.status, second.body.id]).toEqual([201, 200, first.body.id]);
    }
  });

  test('makes one contact of many calls at once', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => upsert({ metadata: { extId: 'race' } })));
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(1);
    expect(made.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  test('is 409 where several match, and 400 without the value', async () => {
    const twins = [];
    for (const name of ['A', 'B'])
      twins.push((await workspace.live.post('/v1/contacts', { name, metadata: { extId: 'twin' } }, 201)).body.id);
    const several = await upsert({ metadata: { extId: 'twin' } });
    expect([several.status, several.body.details]).toMatchObject([
      409,
      { reason: 'ambiguous_match', contactIds: twins.reverse() },
    ]);
    for (const metadata of [undefined, { extid: '1' }, { extId: ' ' }])
      expect((await upsert({ metadata })).body.details.fields[0]).toMatchObject({
        ...{ field: 'metadata.extId', code: 'required' },
      });
  });

  test.each(['metadata.', 'metadata', 'metadata.a b', 'name', 7])('is not %j', async (matchOn) => {
    const { status, body } = await workspace.live.post('/v1/contacts/upsert', { matchOn, name: 'A' });
    expect([status, body.details.fields[0].field]).toEqual([400, 'matchOn']);
  });
});

describe.each([
  ['contacts', { name: 'Meta' }],
  ['deals', { title: 'Meta' }],
  ['tasks', { title: 'Meta' }],
])('metadata of %s', (nouns, fields) => {
  const make = async (metadata: object) =>
    `/v1/${nouns}/${(await workspace.live.post(`/v1/${nouns}`, { ...fields, metadata }, 201)).body.id}`;

  test('is taken by create, changed by PATCH, and removed by null', async () => {
    const path = await make({ a: '1', b: '2', constructor: 'c' });
    const { body } = await workspace.live.patch(`${path}/metadata`, { metadata: { a: null, b: ' 3 ', d: '4' } }, 200);
    expect(body.metadata).toEqual({ b: '3', constructor: 'c', d: '4' });
    expect(await metadataOf(path)).toEqual(body.metadata);
  });

  test('keeps every key of calls at once', async () => {
    const path = await make({});
    const keys = ['a', 'b', 'c', 'd', 'e'];
    await Promise.all(keys.map((key) => workspace.live.patch(`${path}/metadata`, { metadata: { [key]: key } }, 200)));
    expect(Object.keys(await metadataOf(path))).toEqual(keys);
  });

  test('has at most 50 keys after a PATCH', async () => {
    const many = (count: number, prefix: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, 'x']));
    const path = await make(many(50, 'a'));
    const { status, body } = await workspace.live.patch(`${path}/metadata`, { metadata: { b: '1' } });
    expect([status, body.details.fields[0]]).toMatchObject([400, { field: 'metadata', code: 'too_many' }]);
    await workspace.live.patch(`${path}/metadata`, { metadata: { b: '1', a0: null } }, 200);
  });

  test.each(['metadata', 'id'])('or the id is not changed by PATCH of the resource: %s', async (field) => {
    const { status, body } = await workspace.live.patch(await make({}), { [field]: field === 'id' ? 1 : {} });
    expect([status, body.details.fields]).toEqual([
      400,
      [{ field, code: 'not_allowed', message: expect.stringContaining('use ') }],
    ]);
  });
});

describe('merge', () => {
  const make = async (fields: object) => (await workspace.live.post('/v1/contacts', fields, 201)).body.id as number;
  const notes = async (id: number) =>
    (await everyItem(workspace.live, `/v1/contacts/${id}/activities`, { type: 'Note' })).map(({ text }) => text);

  test('writes what the target does not take into one note, and upsert by its username finds the target', async () => {
    const target = await make({
      name: 'B',
      username: 'bb',
      notes: 'mine',
      company: 'X',
      metadata: { crmId: 'B', same: '1' },
    });
    const source = await make({ username: 'aa.a', notes: 'theirs', company: 'Y', metadata: { crmId: 'A', same: '1' } });
    await workspace.live.post(`/v1/contacts/${target}/merge`, { sourceContactId: source }, 200);
    const [note, ...others] = await notes(target);
    expect(others).toEqual([]);
    expect(note.split('\n').slice(1)).toEqual(['username: aa.a', 'company: Y', 'notes: theirs', 'metadata.crmId: A']);
    const found = await workspace.live.post('/v1/contacts/upsert', {
      matchOn: 'username',
      username: '@AA.a',
      name: 'C',
    });
    expect([found.status, found.body]).toMatchObject([200, { id: target, name: 'C', username: 'bb' }]);
    const third = await make({ name: 'D', username: 'dd' });
    await workspace.live.post(`/v1/contacts/${third}/merge`, { sourceContactId: target }, 200);
    const chained = await workspace.live.post('/v1/contacts/upsert', { matchOn: 'username', username: 'aa.a' }, 200);
    expect(chained.body.id).toBe(third);
  });

  test('writes no note where the target takes everything', async () => {
    const [target, source] = [
      await make({ name: 'B' }),
      await make({ name: 'A', username: 'cc', metadata: { a: '1' } }),
    ];
    await workspace.live.post(`/v1/contacts/${target}/merge`, { sourceContactId: source }, 200);
    expect(await notes(target)).toEqual([]);
  });

  test('keeps all of the longest notes', async () => {
    const [target, source] = [
      await make({ name: 'B', notes: 'x' }),
      await make({ name: 'A', notes: '😀'.repeat(10_000) }),
    ];
    await workspace.live.post(`/v1/contacts/${target}/merge`, { sourceContactId: source }, 200);
    expect((await notes(target)).reverse().join('')).toMatch(/notes: (😀){10000}$/u);
  });
});
