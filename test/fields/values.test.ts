import { beforeAll, expect, test } from 'vitest';
import { operator } from '#lib/core/tenant.ts';
import { transact } from '#lib/table/transact.ts';
import { receiveMessage } from '#lib/transport/receiving/message.ts';
import { eventually } from '#test/client.ts';
import { eventsAbout } from '#test/feed.ts';
import { newAccount } from '#test/telegram/line.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let contactId: number;
let otherId: number;
let dealId: number;

const types = ['text', 'long_text', 'number', 'money', 'checkbox', 'date', 'datetime', 'url', 'email', 'phone'];
const links = ['member', 'contact', 'company', 'deal'];

beforeAll(async () => {
  workspace = await newWorkspace();
  const options = [{ label: 'Red' }, { label: 'Green' }, { label: 'Blue' }];
  const define = (type: string, given: object = {}) =>
    workspace.live.post('/v1/fields', { object: 'contact', slug: type, title: type, type, ...given }, 201);
  for (const type of [...types, ...links]) await define(type);
  for (const type of ['select', 'multi_select']) await define(type, { options });
  await define('text', { slug: 'code', isUnique: true });
  await define('phone', { slug: 'mobile', isUnique: true });
  // A name of JavaScript's own is as good as any.
  await define('text', { slug: 'constructor' });
  contactId = (await workspace.live.post('/v1/contacts', { name: 'Ada' }, 201)).body.id;
  otherId = (await workspace.live.post('/v1/contacts', { name: 'Charles' }, 201)).body.id;
  dealId = (await workspace.live.post('/v1/deals', { title: 'Engine' }, 201)).body.id;
});

const set = (fields: object, status = 200) =>
  workspace.live.patch(`/v1/contacts/${contactId}/fields`, { fields }, status);

test.each<[string, unknown, unknown?]>([
  ['text', ' one line ', 'one line'],
  ['text', '  ', null],
  ['long_text', 'two\nlines'],
  ['number', 0.123456],
  ['number', -1e15],
  ['money', { amount: 12.5, currency: 'eur' }, { amount: 12.5, currency: 'EUR' }],
  ['money', { amount: 1.234, currency: 'KWD' }],
  ['checkbox', false],
  ['date', '2028-02-29'],
  ['datetime', '2026-11-20T23:17+02:00', '2026-11-20T21:17:00Z'],
  ['select', 'GREEN', 'Green'],
  ['select', 3, 'Blue'],
  ['multi_select', ['Blue', 1], ['Blue', 'Red']],
  ['multi_select', [], null],
  ['url', 'https://example.com/a?b=c'],
  ['email', 'ada@example.com'],
  ['phone', '+44 20 7946 0018'],
  ['constructor', 'Babbage'],
])('a value of %s is shown as it was given (case %#)', async (slug, value, shown = value) => {
  expect((await set({ [slug]: value })).body.fields[slug]).toEqual(shown);
  expect((await workspace.live.get(`/v1/contacts/${contactId}?include=fields`)).body.fields[slug]).toEqual(shown);
  expect((await set({ [slug]: null })).body.fields[slug]).toBeNull();
});

test.each<[string, unknown, string]>([
  ['text', 'a'.repeat(501), 'too_long'],
  ['text', 'two\nlines', 'invalid_format'],
  ['text', 7, 'invalid_type'],
  ['long_text', 'a'.repeat(10_001), 'too_long'],
  ['number', '7', 'invalid_type'],
  ['number', 1.0000001, 'invalid_format'],
  ['number', 2e15, 'out_of_range'],
  ['money', { amount: 1.5, currency: 'JPY' }, 'invalid_format'],
  ['money', 12, 'invalid_type'],
  ['money', [], 'invalid_type'],
  ['checkbox', 'true', 'invalid_type'],
  ['date', '2027-02-29', 'invalid_format'],
  ['date', '2026-11-20T00:00:00Z', 'invalid_format'],
  ['datetime', 'tomorrow', 'invalid_format'],
  ['select', 'Yellow', 'invalid_enum'],
  ['select', 99, 'invalid_enum'],
  ['multi_select', ['Red', 'red'], 'not_allowed'],
  ['multi_select', ['Red', 'Yellow'], 'invalid_enum'],
  ['multi_select', 'Red', 'invalid_type'],
  ['multi_select', Array(51).fill('Red'), 'too_many'],
  ['url', 'ftp://example.com', 'invalid_format'],
  ['url', `https://${'a'.repeat(2048)}`, 'too_long'],
  ['email', 'Ada <ada@example.com>', 'invalid_format'],
  ['phone', 'none', 'invalid_format'],
  ['member', 99_999, 'unknown_reference'],
  ['contact', 99_999, 'unknown_reference'],
  ['company', 99_999, 'unknown_reference'],
  ['deal', 99_999, 'unknown_reference'],
  ['nothing', 'x', 'unknown_reference'],
])('a value of %s is refused (case %#)', async (slug, value, code) => {
  const { body } = await set({ [slug]: value }, 400);
  expect(body.details.fields).toEqual([expect.objectContaining({ field: `fields.${slug}`, code })]);
});

test('If-Match takes the ETag of fields with money until a field changes', async () => {
  const path = `/v1/contacts/${contactId}/fields`;
  await set({ money: { amount: 900, currency: 'EUR' } });
  for (const text of ['one', 'two', 'three', 'four']) {
    const tag = (await workspace.live.get(path)).headers['etag'] as string;
    expect((await workspace.live.patch(path, { fields: { text } }, { 'if-match': tag })).status).toBe(200);
    expect((await workspace.live.patch(path, { fields: { text } }, { 'if-match': tag })).status).toBe(412);
  }
  await set({ money: null, text: null });
});

test('every wrong value is named, and none is written', async () => {
  const { body } = await set({ text: 'kept?', number: 'x', date: 'y' }, 400);
  expect(body.details.fields.map(({ field }: { field: string }) => field)).toEqual(['fields.number', 'fields.date']);
  expect((await workspace.live.get(`/v1/contacts/${contactId}/fields`)).body.fields.text).toBeNull();
});

test('values of one record have at most 64 KB', async () => {
  const other = await newWorkspace();
  const slugs = Array.from({ length: 7 }, (_, index) => `long_${index}`);
  for (const slug of slugs)
    await other.live.post('/v1/fields', { object: 'contact', slug, title: slug, type: 'long_text' }, 201);
  const fields = Object.fromEntries(slugs.map((slug) => [slug, 'a'.repeat(10_000)]));
  const { body } = await other.live.post('/v1/contacts', { name: 'Ada', fields }, 400);
  expect(body.details.fields).toMatchObject([{ field: 'fields', code: 'too_long' }]);
});

test('values that a merge has brought above the limit hinder no other change', async () => {
  const other = await newWorkspace();
  const slugs = Array.from({ length: 12 }, (_, index) => `long_${index}`);
  for (const slug of slugs)
    await other.live.post('/v1/fields', { object: 'contact', slug, title: slug, type: 'long_text' }, 201);
  const make = async (own: string[]) => {
    const fields = Object.fromEntries(own.map((slug) => [slug, 'a'.repeat(10_000)]));
    return (await other.live.post('/v1/contacts', { name: 'Ada', fields }, 201)).body.id;
  };
  const [target, source] = [await make(slugs.slice(0, 6)), await make(slugs.slice(6))];
  await other.live.post(`/v1/contacts/${target}/merge`, { sourceContactId: source }, 200);
  await other.live.patch(`/v1/contacts/${target}`, { company: 'Engines' }, 200);
  await other.live.patch(`/v1/contacts/${target}`, { fields: { long_0: 'b'.repeat(9_000) } }, 400);
});

test('records of other kinds are named by id, follow a merge, and go with an erasure', async () => {
  const source = (await workspace.live.post('/v1/contacts', { name: 'Countess' }, 201)).body.id;
  const values = { member: workspace.memberId, contact: source, deal: dealId };
  expect((await set(values)).body.fields).toMatchObject(values);
  await workspace.live.post(`/v1/contacts/${otherId}/merge`, { sourceContactId: source }, 200);
  const shown = async () => (await workspace.live.get(`/v1/contacts/${contactId}/fields`)).body.fields.contact;
  await eventually(async () => (await shown()) === otherId, 'the value follows the merge');
  await workspace.live.post(`/v1/contacts/${otherId}/erasure`, { confirm: String(otherId) }, 202);
  await eventually(async () => (await shown()) === null, 'the value goes with the contact');
});

test('a company that a value names is followed into another one', async () => {
  const make = async (name: string) => (await workspace.live.post('/v1/companies', { name }, 201)).body.id;
  const [target, source] = [await make('Target'), await make('Source')];
  expect((await set({ company: source })).body.fields.company).toBe(source);
  await workspace.live.post(`/v1/companies/${target}/merge`, { sourceCompanyId: source }, 200);
  const shown = async () => (await workspace.live.get(`/v1/contacts/${contactId}/fields`)).body.fields.company;
  await eventually(async () => (await shown()) === target, 'the value follows the merge');
});

test.each([
  ['text', 'Ada', 'aDA'],
  ['number', 7, 7],
  ['email', 'Ada@Example.com', 'ada@example.COM'],
  ['url', 'https://Example.com/A', 'HTTPS://example.com/a'],
  ['phone', '+44 20 7946 0018', '0044 (0)20/7946-0018'],
])('a unique %s %j is the same as %j', async (type, one, other) => {
  const { live } = await newWorkspace();
  await live.post('/v1/fields', { object: 'deal', slug: 'u', title: 'U', type, isUnique: true }, 201);
  const { id } = (await live.post('/v1/deals', { title: 'One', fields: { u: one } }, 201)).body;
  const { body } = await live.post('/v1/deals', { title: 'Two', fields: { u: other } }, 409);
  expect(body.details).toMatchObject({ reason: 'field_value_taken', field: 'u', id });
});

test('a unique value belongs to one record', async () => {
  const make = (fields: object, ...rest: [number] | []) =>
    workspace.live.post('/v1/contacts', { name: 'Ada', fields }, ...rest);
  const first = (await make({ code: 'A-1', mobile: '+44 20 7946 0018' }, 201)).body.id;
  for (const fields of [{ code: 'a-1' }, { mobile: '(0044) 20-79460018' }]) {
    const { body } = await make(fields, 409);
    expect(body.details).toMatchObject({ reason: 'field_value_taken', field: Object.keys(fields)[0], id: first });
  }
  await workspace.live.patch(`/v1/contacts/${first}/fields`, { fields: { code: 'A-2' } }, 200);
  await make({ code: 'A-1' }, 201);
  const answers = await Promise.all([1, 2, 3, 4].map(() => make({ code: 'race' })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
});

test('an upsert finds its record by a unique value', async () => {
  const upsert = (given: object, status: number) =>
    workspace.live.post('/v1/contacts/upsert', { matchOn: 'fields.code', ...given }, status);
  const { body } = await upsert({ name: 'Grace', fields: { code: 'U-1' } }, 201);
  const again = await upsert({ company: 'Navy', fields: { code: 'u-1', text: 'x' } }, 200);
  expect(again.body).toMatchObject({ id: body.id, name: 'Grace', company: 'Navy' });
  for (const [given, field, code] of [
    [{ matchOn: 'fields.text', fields: { text: 'x' } }, 'matchOn', 'not_allowed'],
    [{ matchOn: 'fields.nothing', fields: {} }, 'matchOn', 'unknown_reference'],
    [{ fields: {} }, 'fields.code', 'required'],
  ] as const) {
    const refused = await upsert({ name: 'Ada', ...given }, 400);
    expect(refused.body.details.fields).toMatchObject([{ field, code }]);
  }
});

test('a required field is asked of new records, and of writes that name it', async () => {
  const other = await newWorkspace();
  const old = (await other.live.post('/v1/contacts', { name: 'Ada' }, 201)).body.id;
  await other.live.post('/v1/fields', {
    object: 'contact',
    slug: 'must',
    title: 'Must',
    type: 'text',
    isRequired: true,
  });
  const missing = { details: { fields: [{ field: 'fields.must', code: 'required' }] } };
  expect((await other.live.post('/v1/contacts', { name: 'Ada' }, 400)).body).toMatchObject(missing);
  expect((await other.live.patch(`/v1/contacts/${old}`, { fields: { must: null } }, 400)).body).toMatchObject(missing);
  await other.live.patch(`/v1/contacts/${old}`, { company: 'Engines' }, 200);
  await other.live.post('/v1/contacts', { name: 'Ada', fields: { must: 'x' } }, 201);
});

test('a stranger who writes is stored without a required field', async () => {
  const other = await newWorkspace();
  const tenant = { workspaceId: other.id, env: 'live' } as const;
  const { id: accountId } = await newAccount(tenant);
  const field = { object: 'contact', slug: 'must', title: 'Must', type: 'text', isRequired: true };
  await other.live.post('/v1/fields', field, 201);
  const message = { channel: 'telegram', accountId, from: { username: 'stranger' }, body: 'Hello', threadId: null };
  await transact(tenant, operator, (tx) => receiveMessage(tx, message as never));
  const { items } = (await other.live.get('/v1/contacts', { username: 'stranger', include: 'fields' })).body;
  expect(items).toMatchObject([{ username: 'stranger', fields: { must: null } }]);
});

test('events and the timeline say what changed', async () => {
  const { body } = await workspace.live.post(
    '/v1/contacts',
    { name: 'Ada', fields: { number: 7, select: 'Red' } },
    201,
  );
  await workspace.live.patch(
    `/v1/contacts/${body.id}`,
    { company: 'Engines', fields: { select: 'Blue', number: 7 } },
    200,
  );
  expect(await eventsAbout(workspace.id, `contact/${body.id}`, 2)).toMatchObject([
    { event: 'contact.created', data: { fields: { number: 7, select: 'Red' } } },
    {
      event: 'contact.updated',
      data: { changed: ['company', 'fields.select'], changes: { 'fields.select': { from: 'Red', to: 'Blue' } } },
    },
  ]);
  const { items } = (await workspace.live.get(`/v1/contacts/${body.id}/activities`, { type: 'FieldUpdated' })).body;
  expect(items).toContainEqual(expect.objectContaining({ field: 'fields.select', oldValue: 'Red', newValue: 'Blue' }));
});

test('the timeline has one entry for more than ten values that change at once', async () => {
  const other = await newWorkspace();
  const slugs = Array.from({ length: 11 }, (_, index) => `n${index}`);
  for (const object of ['contact', 'company'])
    for (const slug of slugs) await other.live.post('/v1/fields', { object, slug, title: slug, type: 'number' }, 201);
  const values = (of: string[], value: number) => ({ fields: Object.fromEntries(of.map((slug) => [slug, value])) });
  for (const path of ['/v1/contacts', '/v1/companies']) {
    const { id } = (await other.live.post(path, { name: 'Ada' }, 201)).body;
    const updates = async () => (await other.live.get(`${path}/${id}/activities`, { type: 'FieldUpdated' })).body.items;
    await other.live.patch(`${path}/${id}`, values(slugs, 1), 200);
    expect(await updates()).toMatchObject([{ field: 'fields', oldValue: null, newValue: slugs.join(', ') }]);
    await other.live.patch(`${path}/${id}`, values(slugs.slice(1), 2), 200);
    expect(await updates()).toHaveLength(11);
  }
});

test('a page of contacts shows their values when it is asked to', async () => {
  const { items } = (await workspace.live.get('/v1/contacts?include=fields,updatedAt&limit=5')).body;
  for (const item of items) expect(item.fields).toHaveProperty('text');
  expect((await workspace.live.get('/v1/contacts?limit=1')).body.items[0]).not.toHaveProperty('fields');
});

test.each([
  ['deal', 'deals', { title: 'Engine' }],
  ['task', 'tasks', { title: 'Call' }],
])('a %s takes and shows values of its own', async (noun, path, given) => {
  const define = (slug: string, more: object = {}) =>
    workspace.live.post('/v1/fields', { object: noun, slug, title: slug, type: 'text', ...more }, 201);
  await define('color');
  await define('code', { isUnique: true });
  await define('friend', { type: 'contact' });
  const friend = (await workspace.live.post('/v1/contacts', { name: 'Friend' }, 201)).body.id;
  const fields = { color: 'red', code: 'X', friend };
  const { body } = await workspace.live.post(`/v1/${path}?include=fields`, { ...given, fields }, 201);
  expect(body.fields).toEqual(fields);
  await workspace.live.post(`/v1/${path}`, { ...given, fields: { code: 'x' } }, 409);
  const { fields: changed } = (
    await workspace.live.patch(`/v1/${path}/${body.id}/fields`, { fields: { color: null } }, 200)
  ).body;
  expect(changed).toEqual({ ...fields, color: null });
  await workspace.live.patch(`/v1/${path}/${body.id}`, { fields: { color: 'blue' } }, 200);
  expect((await workspace.live.get(`/v1/${path}?include=fields&limit=1`)).body.items[0].fields.color).toBe('blue');
  const { results } = (
    await workspace.live.post(`/v1/${path}/batch`, { items: [{ op: 'update', id: body.id, fields: { nothing: 1 } }] })
  ).body;
  expect(results[0].error.details.fields).toMatchObject([
    { field: 'items[0].fields.nothing', code: 'unknown_reference' },
  ]);
  const updated = (from: string | null, to: string | null) => ({
    event: `${noun}.updated`,
    data: { changed: ['fields.color'], changes: { 'fields.color': { from, to } } },
  });
  expect(await eventsAbout(workspace.id, `${noun}/${body.id}`, 3)).toMatchObject([
    { event: `${noun}.created`, data: { fields: { ...fields, friend: String(friend) } } },
    updated('red', null),
    updated(null, 'blue'),
  ]);
  await workspace.live.post(`/v1/contacts/${friend}/erasure`, { confirm: String(friend) }, 202);
  const shown = async () => (await workspace.live.get(`/v1/${path}/${body.id}/fields`)).body.fields.friend;
  await eventually(async () => (await shown()) === null, 'the value goes with the contact');
});

test('a merged contact keeps its values, and takes those it lacks with their claim', async () => {
  const make = async (fields: object) =>
    (await workspace.live.post('/v1/contacts', { name: 'Ada', fields }, 201)).body.id;
  const [target, source] = [
    await make({ text: 'own', number: 1 }),
    await make({ text: 'other', code: 'M-1', select: 'Red' }),
  ];
  await workspace.live.post(`/v1/contacts/${target}/merge`, { sourceContactId: source }, 200);
  expect((await workspace.live.get(`/v1/contacts/${target}/fields`)).body.fields).toMatchObject({
    text: 'own',
    number: 1,
    code: 'M-1',
    select: 'Red',
  });
  const { body } = await workspace.live.post('/v1/contacts', { name: 'Ada', fields: { code: 'm-1' } }, 409);
  expect(body.details.id).toBe(target);
  await workspace.live.post(`/v1/contacts/${target}/erasure`, { confirm: String(target) }, 202);
  await eventually(
    async () => (await workspace.live.post('/v1/contacts', { name: 'Ada', fields: { code: 'M-1' } })).status === 201,
    'an erased contact leaves its unique values',
  );
});
