import { beforeAll, describe, expect, test } from 'vitest';
import { operator } from '#lib/core/tenant.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { transact } from '#lib/table/transact.ts';
import { everyItem } from '#test/client.ts';
import { eventsAbout } from '#test/feed.ts';
import { mcp } from '#test/mcp/client.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
const create = async (fields: object = {}) =>
  (await workspace.live.post('/v1/contacts', { name: 'Ada Lovelace', ...fields })).body;
const timeline = async (id: number, type?: string) =>
  (await everyItem(workspace.live, `/v1/contacts/${id}/activities`, type ? { type } : {})).reverse();
const actor = () => ({ type: 'api_key', id: workspace.liveKey.slice(9, 21) });

test('a new contact has the defaults of the contract and a Created activity', async () => {
  const { status, body, headers } = await workspace.live.post('/v1/contacts', { username: '@ada.l', email: ' ' });
  expect(status).toBe(201);
  expect(headers['location']).toBe(`/v1/contacts/${body.id}`);
  expect(body).toEqual({
    id: expect.any(Number),
    platform: 'telegram',
    name: null,
    username: 'ada.l',
    phone: null,
    email: null,
    company: null,
    notes: null,
    stage: 'new',
    leadScore: null,
    leadScoreIsAi: false,
    assignedToUserId: null,
    createdAt: instant,
    lastMessageAt: null,
    hasUnreadMessages: false,
    tags: [],
  });
  expect((await workspace.live.get(`/v1/contacts/${body.id}`)).body).toEqual(body);
  expect(await timeline(body.id)).toEqual([
    {
      id: expect.any(Number),
      contactId: body.id,
      type: 'Created',
      text: null,
      field: null,
      oldValue: null,
      newValue: null,
      tagId: null,
      actorType: 'api_key',
      actorUserId: null,
      actorKeyId: actor().id,
      createdAt: instant,
    },
  ]);
  expect(await eventsAbout(workspace.id, `contact/${body.id}`, 1)).toEqual([
    {
      event: 'contact.created',
      data: {
        contact_id: String(body.id),
        platform: 'telegram',
        name: null,
        username: 'ada.l',
        phone: null,
        email: null,
        company: null,
        stage: 'new',
        fields: {},
        actor: actor(),
      },
    },
  ]);
});

test('a contact without name, username and phone is refused', async () => {
  const { status, body } = await workspace.live.post('/v1/contacts', { email: 'a@b.c', name: '  ' });
  expect([status, body.details.fields[0].code]).toEqual([400, 'required']);
});

test.each([
  [{ name: 'x'.repeat(201) }, 'name', 'too_long'],
  [{ username: 'no spaces' }, 'username', 'invalid_format'],
  [{ phone: '1234' }, 'phone', 'invalid_format'],
  [{ phone: '+1 555 CALL' }, 'phone', 'invalid_format'],
  [{ email: 'nobody' }, 'email', 'invalid_format'],
  [{ email: 'a@b@c' }, 'email', 'invalid_format'],
  [{ company: 'x'.repeat(201) }, 'company', 'too_long'],
  [{ notes: 'x'.repeat(10_001) }, 'notes', 'too_long'],
  [{ platform: 'signal' }, 'platform', 'invalid_enum'],
  [{ name: 5 }, 'name', 'invalid_type'],
])('%j is refused', async (fields, field, code) => {
  const { status, body } = await workspace.live.post('/v1/contacts', { name: 'Ada', ...fields });
  expect([status, body.details.fields]).toEqual([400, [{ field, code, message: expect.any(String) }]]);
});

test('lengths count characters, not UTF-16 units', async () => {
  await workspace.live.post('/v1/contacts', { name: '😀'.repeat(200) }, 201);
  await workspace.live.post('/v1/contacts', { name: '😀'.repeat(201) }, 400);
});

test('a patch changes what it names, clears with null, and records each changed field', async () => {
  const { id } = await create({ phone: '+1 (555) 0100', company: 'Analytical' });
  const { status, body } = await workspace.live.patch(`/v1/contacts/${id}`, {
    name: 'Ada',
    company: null,
    phone: '+1 (555) 0100',
    notes: 'met in London',
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({ name: 'Ada', company: null, phone: '+1 (555) 0100', notes: 'met in London', tags: [] });
  expect(await timeline(id, 'FieldUpdated')).toEqual(
    [
      { field: 'name', oldValue: 'Ada Lovelace', newValue: 'Ada' },
      { field: 'company', oldValue: 'Analytical', newValue: null },
      { field: 'notes', oldValue: null, newValue: 'met in London' },
    ].map((change) => expect.objectContaining({ type: 'FieldUpdated', ...change })),
  );
  const [, updated] = await eventsAbout(workspace.id, `contact/${id}`, 2);
  expect(updated).toEqual({
    event: 'contact.updated',
    data: {
      contact_id: String(id),
      changed: ['name', 'company', 'notes'],
      changes: {
        name: { from: 'Ada Lovelace', to: 'Ada' },
        company: { from: 'Analytical', to: null },
        notes: { from: null, to: 'met in London' },
      },
      actor: actor(),
    },
  });
});

test('a patch that changes nothing is 200 and leaves no trace', async () => {
  const contact = await create();
  const same = await workspace.live.patch(`/v1/contacts/${contact.id}`, { name: 'Ada Lovelace' });
  const empty = await workspace.live.patch(`/v1/contacts/${contact.id}`, {});
  expect([same.status, same.body, empty.status, empty.body]).toEqual([200, contact, 200, contact]);
  expect(await timeline(contact.id)).toHaveLength(1);
});

test('a patch may not take away the last of name, username and phone', async () => {
  const { id } = await create();
  const { status, body } = await workspace.live.patch(`/v1/contacts/${id}`, { name: null });
  expect([status, body.details.fields[0].code]).toEqual([400, 'required']);
});

test.each(['platform', 'stage', 'assignedToUserId', 'leadScore', 'tags'])(
  'a patch of %s is refused with a pointer',
  async (field) => {
    const { id } = await create();
    const { status, body } = await workspace.live.patch(`/v1/contacts/${id}`, { [field]: 'new' });
    expect([status, body.details.fields]).toEqual([
      400,
      [{ field, code: 'not_allowed', message: expect.stringContaining('POST /v1/contacts') }],
    ]);
  },
);

test('a stage move is recorded once and in any case', async () => {
  const { id } = await create();
  const moved = await workspace.live.post(`/v1/contacts/${id}/stage`, { stage: 'Qualified' });
  const again = await workspace.live.post(`/v1/contacts/${id}/stage`, { stage: 'qualified' });
  expect([moved.status, moved.body.stage, again.body]).toEqual([200, 'qualified', moved.body]);
  expect(await timeline(id, 'StageChanged')).toEqual([
    expect.objectContaining({ oldValue: 'new', newValue: 'qualified', field: null }),
  ]);
  expect((await eventsAbout(workspace.id, `contact/${id}`, 2)).slice(1)).toEqual([
    {
      event: 'contact.updated',
      data: {
        contact_id: String(id),
        changed: ['stage'],
        changes: { stage: { from: 'new', to: 'qualified' } },
        actor: actor(),
      },
    },
  ]);
});

test('a contact is assigned to a member and taken back', async () => {
  const { id } = await create();
  const path = `/v1/contacts/${id}/assignee`;
  expect((await workspace.live.post(path, { userId: workspace.memberId })).body.assignedToUserId).toBe(
    workspace.memberId,
  );
  expect((await workspace.live.post(path, { userId: null })).body.assignedToUserId).toBeNull();
  expect(await timeline(id, 'Assigned,unassigned')).toEqual([
    expect.objectContaining({ type: 'Assigned', oldValue: null, newValue: String(workspace.memberId) }),
    expect.objectContaining({ type: 'Unassigned', oldValue: String(workspace.memberId), newValue: null }),
  ]);
  const [, assigned] = await eventsAbout(workspace.id, `contact/${id}`, 3);
  expect(assigned?.data.changes).toEqual({ assigned_to_user_id: { from: null, to: String(workspace.memberId) } });
});

test.each([
  [{}, 'required'],
  [{ userId: 'x' }, 'invalid_type'],
  [{ userId: 999_999 }, 'unknown_reference'],
])('the assignee %j is refused', async (body, code) => {
  const { id } = await create();
  const answer = await workspace.live.post(`/v1/contacts/${id}/assignee`, body);
  expect([answer.status, answer.body.details.fields[0]]).toEqual([
    400,
    expect.objectContaining({ field: 'userId', code }),
  ]);
});

test('a score set by hand is not the AI one any more, even when it is the same', async () => {
  const { id } = await create();
  await transact({ workspaceId: workspace.id, env: 'live' }, operator, async (tx) => {
    const contact = await tx.get(Contacts, { id });
    tx.update(Contacts, { ...contact, leadScore: 40, leadScoreIsAi: true });
  });
  const path = `/v1/contacts/${id}/lead-score`;
  expect((await workspace.live.post(path, { score: 40 })).body).toMatchObject({ leadScore: 40, leadScoreIsAi: false });
  expect((await workspace.live.post(path, { score: 80 })).body).toMatchObject({ leadScore: 80, leadScoreIsAi: false });
  expect((await workspace.live.post(path, { score: null })).body).toMatchObject({
    leadScore: null,
    leadScoreIsAi: false,
  });
  expect(await timeline(id, 'ScoreChanged')).toEqual([
    expect.objectContaining({ oldValue: '40', newValue: '40' }),
    expect.objectContaining({ oldValue: '40', newValue: '80' }),
    expect.objectContaining({ oldValue: '80', newValue: null }),
  ]);
});

test.each([[{}], [{ score: 101 }], [{ score: -1 }], [{ score: 1.5 }], [{ score: 'hot' }]])(
  'the score %j is refused',
  async (body) => {
    const { id } = await create();
    await workspace.live.post(`/v1/contacts/${id}/lead-score`, body, 400);
  },
);

test('a note is on the timeline, emits an event, and leaves the notes field unchanged', async () => {
  const { id } = await create({ notes: 'old' });
  const { status, body, headers } = await workspace.live.post(`/v1/contacts/${id}/activities`, { text: ' called ' });
  expect(status).toBe(201);
  expect(headers['location']).toBe(`/v1/contacts/${id}/activities/${body.id}`);
  expect(body).toMatchObject({ contactId: id, type: 'Note', text: 'called', actorType: 'api_key' });
  expect((await workspace.live.get(`/v1/contacts/${id}`)).body.notes).toBe('old');
  expect(await timeline(id, 'note')).toEqual([body]);
  expect((await eventsAbout(workspace.id, `contact/${id}`, 2))[1]).toEqual({
    event: 'contact.note_added',
    data: { contact_id: String(id), activity_id: String(body.id), text: 'called', actor: actor() },
  });
});

test('an unknown activity type and a blank note are refused, and an unknown contact is 404', async () => {
  const { id } = await create();
  await workspace.live.get(`/v1/contacts/${id}/activities`, { type: 'Note,Nonsense' }, 400);
  await workspace.live.post(`/v1/contacts/${id}/activities`, { text: ' ' }, 400);
  for (const [method, path, body] of [
    ['GET', '/activities', undefined],
    ['POST', '/activities', {}],
    ['POST', '/stage', {}],
    ['POST', '/assignee', { userId: 999_999 }],
    ['POST', '/lead-score', { score: 500 }],
    ['POST', '/tags', {}],
    ['GET', '/tags', undefined],
    ['GET', '/metadata', undefined],
    ['PUT', '/metadata', {}],
    ['GET', '/duplicates', undefined],
    ['POST', '/merge', {}],
    ['PATCH', '', { stage: 'x' }],
  ] as const) {
    const { status, body: answer } = await workspace.live.call(method, `/v1/contacts/999999${path}`, { body });
    expect([method, path, status, answer.error]).toEqual([method, path, 404, 'not_found']);
  }
});

test('a search does not tell the cases of any script apart', async () => {
  const found = async (q: string) =>
    (await workspace.live.get('/v1/contacts', { q })).body.items.map(({ id }: { id: number }) => id);
  const names = ['ΟΔΟΣ ΑΘΗΝΩΝ', 'Große Straße', 'İstanbul', 'ＡＢＣ ﬁn'];
  const ids: number[] = [];
  for (const name of names) ids.push((await workspace.live.post('/v1/contacts', { name })).body.id);
  for (const [index, spellings] of [
    ['οδος', 'οδός', 'Αθηνών'],
    ['STRASSE', 'straße', 'GROẞE'],
    ['istanbul', 'ISTANBUL'],
    ['abc FIN', 'ａｂｃ'],
  ].entries())
    for (const q of spellings) expect([q, await found(q)]).toEqual([q, [ids[index]]]);
});

test('metadata are trimmed where they are written and where they are looked for', async () => {
  const { body: contact } = await workspace.live.post('/v1/contacts', { name: 'Ada' });
  const value = ` value ${contact.id} `;
  await workspace.live.put(`/v1/contacts/${contact.id}/metadata`, { metadata: { place: value } });
  const { body } = await workspace.live.get('/v1/contacts', { 'metadata.place': value });
  expect(body.items.map(({ id }: { id: number }) => id)).toEqual([contact.id]);
});

test.each(['constructor!', 'with space', ''])('metadata with the key "%s" are refused', async (key) => {
  const { body: contact } = await workspace.live.post('/v1/contacts', { name: 'Ada' });
  const path = `/v1/contacts/${contact.id}/metadata`;
  const { status, body } = await workspace.live.put(path, `{"metadata":{"fine":"1",${JSON.stringify(key)}:"2"}}`);
  expect([status, body.error]).toEqual([400, 'bad_request']);
  expect((await workspace.live.get(path)).body).toEqual({ metadata: {} });
});

describe('names that are special in JavaScript are names like any other', () => {
  const names = ['constructor', 'hasOwnProperty', 'length', 'prototype', 'toJSON', 'toString'];
  /** As JSON, because some of these names are lost in an object literal. */
  const json = (pairs: readonly (readonly [string, string])[]) => JSON.stringify(Object.fromEntries(pairs));
  const pairs = names.map((name, index) => [name, `value ${index}`] as const);

  test('as keys of metadata, which are kept, shown, found, announced and merged', async () => {
    const { id } = await create();
    const path = `/v1/contacts/${id}/metadata`;
    const put = await workspace.live.put(path, `{"metadata":${json(pairs)}}`);
    expect([put.status, JSON.stringify(put.body.metadata)]).toEqual([200, json(pairs)]);
    const read = await workspace.live.get(path);
    expect([JSON.stringify(read.body.metadata), read.headers['etag']]).toEqual([json(pairs), put.headers['etag']]);
    const found = async (key: string, value: string) =>
      (await everyItem(workspace.live, '/v1/contacts', { [`metadata.${key}`]: value })).map((one) => one.id);
    for (const [name, value] of pairs) {
      expect([name, await found(name, value)]).toEqual([name, [id]]);
      expect([name, await found(name, 'another')]).toEqual([name, []]);
    }
    const [, updated] = await eventsAbout(workspace.id, `contact/${id}`, 2);
    expect(JSON.stringify(updated?.data.changes)).toBe(`{"metadata":{"from":{},"to":${json(pairs)}}}`);
    const { body: target } = await workspace.live.post('/v1/contacts', { name: 'Target' });
    await workspace.live.post(`/v1/contacts/${target.id}/merge`, { sourceContactId: id });
    const { body: merged } = await workspace.live.get(`/v1/contacts/${target.id}/metadata`);
    expect(JSON.stringify(merged.metadata)).toBe(json(pairs));
  });

  test('as keys of metadata of deals and tasks, and by way of MCP', async () => {
    const { body: deal } = await workspace.live.post('/v1/deals', { title: 'x' });
    const { body: task } = await workspace.live.post('/v1/tasks', { title: 'x' });
    for (const path of [`/v1/deals/${deal.id}/metadata`, `/v1/tasks/${task.id}/metadata`]) {
      await workspace.live.put(path, `{"metadata":${json(pairs)}}`);
      expect(JSON.stringify((await workspace.live.get(path)).body.metadata)).toBe(json(pairs));
    }
    const { value } = mcp(workspace.liveKey);
    const changed = pairs.map(([name, text]) => [name, `${text} changed`] as [string, string]);
    await value('deals_update', { id: deal.id, metadata: JSON.parse(json(changed.slice(0, 4))) });
    const merged = json([...changed.slice(0, 4), ...pairs.slice(4)]);
    expect(JSON.stringify((await value('deals_get', { id: deal.id })).metadata)).toBe(merged);
    const filters = { metadata: { constructor: 'value 0 changed' } };
    expect((await value('deals_search', { filters })).items).toHaveLength(1);
    expect((await value('deals_search', { filters: { metadata: { constructor: 'x' } } })).items).toEqual([]);
  });

  test('as fields that no operation knows, which are ignored and named', async () => {
    const body = '{"name":"Ada","constructor":{"company":"x"},"prototype":1}';
    const made = await workspace.live.post('/v1/contacts', body);
    expect([made.status, made.headers['x-ignored-parameters']]).toEqual([201, 'constructor,prototype']);
    expect(made.body).toMatchObject({ name: 'Ada', company: null });
    const patched = await workspace.live.patch(`/v1/contacts/${made.body.id}`, body);
    expect([patched.status, patched.headers['x-ignored-parameters']]).toEqual([200, 'constructor,prototype']);
    const batch = await workspace.live.post(
      '/v1/contacts/batch',
      `{"prototype":1,"items":[{"op":"create",${body.slice(1)}]}`,
    );
    expect([batch.status, batch.headers['x-ignored-parameters'], batch.body.results[0].shown]).toEqual([
      200,
      'prototype,items[0].constructor,items[0].prototype',
      undefined,
    ]);
    const listed = await workspace.live.get('/v1/contacts?__proto__=1&constructor=2&metadata=3');
    expect(listed.headers['x-ignored-parameters']).toBe('__proto__,constructor,metadata');
  });
});

test('metadata are replaced as a whole, found by pair, and announced when they change', async () => {
  const { id } = await create();
  const path = `/v1/contacts/${id}/metadata`;
  expect((await workspace.live.get(path)).body).toEqual({ metadata: {} });
  await workspace.live.put(path, { metadata: { externalId: 'crm-7', source: 'import' } });
  expect((await workspace.live.get('/v1/contacts', { 'metadata.externalId': 'crm-7' })).body.items).toHaveLength(1);
  const { status, body } = await workspace.live.put(path, { metadata: { externalId: 'crm-8' } });
  expect([status, body]).toEqual([200, { metadata: { externalId: 'crm-8' } }]);
  await workspace.live.put(path, { metadata: { externalId: 'crm-8' } });
  expect((await workspace.live.get('/v1/contacts', { 'metadata.externalId': 'crm-7' })).body.items).toEqual([]);
  expect((await eventsAbout(workspace.id, `contact/${id}`, 3)).slice(1).map(({ data }) => data.changes)).toEqual([
    { metadata: { from: {}, to: { externalId: 'crm-7', source: 'import' } } },
    { metadata: { from: { externalId: 'crm-7', source: 'import' }, to: { externalId: 'crm-8' } } },
  ]);
});

test.each([
  [{}, 'required'],
  [{ metadata: { 'no spaces': '1' } }, 'invalid_format'],
  [{ metadata: { key: 'x'.repeat(501) } }, 'too_long'],
  [{ metadata: { key: 5 } }, 'invalid_type'],
  [{ metadata: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, ''])) }, 'too_many'],
])('the metadata %.60j are refused', async (body, code) => {
  const { id } = await create();
  const answer = await workspace.live.put(`/v1/contacts/${id}/metadata`, body);
  expect([answer.status, answer.body.details.fields[0].code]).toEqual([400, code]);
});

test('duplicates share username and platform, phone or e-mail in any spelling', async () => {
  const fields = { username: 'Dora_X', phone: '+49 (30) 1234567', email: 'Dora@Example.com' };
  const contact = await create(fields);
  const byUsername = await create({ username: '@dora_x' });
  const otherPlatform = await create({ username: 'dora_x', platform: 'twitter' });
  const byPhone = await create({ phone: '49301234567', platform: 'twitter' });
  const byEmail = await create({ email: 'DORA@example.COM' });
  await create({ phone: '+49 30 7654321' });
  const path = `/v1/contacts/${contact.id}/duplicates`;
  const found = await everyItem(workspace.live, path, { limit: 1 });
  expect(found.map(({ id }) => id)).toEqual([byEmail.id, byPhone.id, byUsername.id]);
  const { tags, ...listed } = byEmail;
  expect(found[0]).toEqual(listed);
  expect(found.map(({ id }) => id)).not.toContain(otherPlatform.id);
});

test('twenty patches at once are all kept', async () => {
  const { id } = await create();
  const fields = ['name', 'company', 'notes', 'email', 'username'];
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      workspace.live.patch(`/v1/contacts/${id}`, {
        [fields[index % 5] as string]: index % 5 === 3 ? `v@${index}` : `v${index}`,
      }),
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await timeline(id, 'FieldUpdated')).toHaveLength(20);
});

test('a new name is shown by the deals of the contact in the next read', async () => {
  const { id } = await create();
  const made = await workspace.live.post('/v1/deals/batch', {
    items: Array.from({ length: 60 }, (_, index) => ({ op: 'create', title: `Deal ${index}`, contactId: id })),
  });
  expect(made.body.succeeded).toBe(60);
  await workspace.live.patch(`/v1/contacts/${id}`, { name: 'Countess' });
  const deals = await everyItem(workspace.live, '/v1/deals', { contactId: id, limit: 100 });
  expect(deals).toHaveLength(60);
  expect(new Set(deals.map(({ contactName }) => contactName))).toEqual(new Set(['Countess']));
});
