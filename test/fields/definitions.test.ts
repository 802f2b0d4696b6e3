import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { beforeAll, expect, test } from 'vitest';
import { operator } from '#lib/core/tenant.ts';
import { FieldOrders } from '#lib/entities/field.ts';
import { transact } from '#lib/table/transact.ts';
import { between } from '#test/between.ts';
import { eventsAbout } from '#test/feed.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

let made = 0;
const newField = async (given: object = {}) => {
  made += 1;
  const field = { object: 'contact', slug: `field_${made}`, title: `Field ${made}`, type: 'text', ...given };
  return (await workspace.live.post('/v1/fields', field, 201)).body;
};
const positions = async (object: string) => {
  const { items } = (await workspace.live.get('/v1/fields', { object })).body;
  return Object.fromEntries(items.map(({ slug, position }: { slug: string; position: number }) => [slug, position]));
};

test('a list shows a field that is made between its reads, as the last one', async () => {
  const { live } = await newWorkspace();
  const field = { object: 'deal', title: 'Seats', type: 'number' };
  await live.post('/v1/fields', { ...field, slug: 'first' }, 201);
  let hasOrder = () => {};
  const orderIsRead = new Promise<void>((resolve) => {
    hasOrder = resolve;
  });
  let isMade = false;
  const answer = await between(
    async ({ operation, input }, next) => {
      if (operation === 'Query' && !isMade) {
        isMade = true;
        await orderIsRead;
        await live.post('/v1/fields', { ...field, slug: 'second' }, 201);
      }
      const read = await next();
      if (JSON.stringify(input).includes('field-order')) hasOrder();
      return read;
    },
    () => live.get('/v1/fields', { object: 'deal' }),
  );
  expect([answer.status, answer.body.items.map(({ slug, position }: typeof answer.body) => [slug, position])]).toEqual([
    200,
    [
      ['second', 2],
      ['first', 1],
    ],
  ]);
});

test('a field has the values given, and defaults for the rest', async () => {
  const field = await newField({ slug: 'budget', title: 'Budget', type: 'number', isUnique: true });
  expect(field).toEqual({
    id: field.id,
    object: 'contact',
    slug: 'budget',
    title: 'Budget',
    description: null,
    type: 'number',
    options: [],
    isRequired: false,
    isUnique: true,
    position: 1,
    isArchived: false,
    createdAt: expect.any(String),
    updatedAt: null,
  });
  expect((await workspace.live.get(`/v1/fields/${field.id}`)).body).toEqual(field);
  expect((await workspace.live.get('/v1/fields', { object: 'contact' })).body.items).toEqual([field]);
  expect((await workspace.test.get('/v1/fields')).body.items).toEqual([]);
  expect(await eventsAbout(workspace.id, `field/${field.id}`, 1)).toMatchObject([
    { event: 'field.created', data: { field_id: String(field.id), object: 'contact', slug: 'budget', type: 'number' } },
  ]);
});

test.each([
  ['an object that there is not', { object: 'lead' }, 'object', 'invalid_enum'],
  ['a slug with a capital', { slug: 'Budget' }, 'slug', 'invalid_format'],
  ['a slug that begins with a digit', { slug: '1st' }, 'slug', 'invalid_format'],
  ['a slug of 41 characters', { slug: 'a'.repeat(41) }, 'slug', 'too_long'],
  ['a title that shows nothing', { title: '\u200b' }, 'title', 'required'],
  ['a title of 81 characters', { title: 'a'.repeat(81) }, 'title', 'too_long'],
  ['a description of 501 characters', { description: 'a'.repeat(501) }, 'description', 'too_long'],
  [
    'a label of 81 characters',
    { type: 'select', options: [{ label: 'a'.repeat(81) }] },
    'options[0].label',
    'too_long',
  ],
  [
    'a color in words',
    { type: 'select', options: [{ label: 'A', color: 'red' }] },
    'options[0].color',
    'invalid_format',
  ],
  ['a type that there is not', { type: 'formula' }, 'type', 'invalid_enum'],
  ['options of a text', { options: [{ label: 'A' }] }, 'options', 'not_allowed'],
  ['unique options', { type: 'select', isUnique: true }, 'isUnique', 'not_allowed'],
  ['one label twice', { type: 'select', options: [{ label: 'A' }, { label: 'a' }] }, 'options[1].label', 'not_allowed'],
  ['201 options', { type: 'select', options: Array(201).fill({ label: 'A' }) }, 'options', 'too_many'],
])('a field is refused with %s', async (_, wrong, field, code) => {
  const given = { object: 'contact', slug: 'wrong', title: 'Wrong', type: 'text', ...wrong };
  const { body } = await workspace.live.post('/v1/fields', given, 400);
  expect(body.details.fields).toEqual([expect.objectContaining({ field, code })]);
});

test.each(['text', 'number', 'email', 'phone', 'url'])('a field of the type %s may be unique', async (type) => {
  expect(await newField({ type, isUnique: true })).toMatchObject({ type, isUnique: true, options: [] });
});

test.each([
  ...['long_text', 'money', 'checkbox', 'date', 'datetime', 'multi_select'],
  ...['member', 'contact', 'company', 'deal'],
])('a field of the type %s is not unique', async (type) => {
  const field = { object: 'task', slug: 'wrong', title: 'Wrong', type, isUnique: true };
  const { body } = await workspace.live.post('/v1/fields', field, 400);
  expect(body.details.fields).toMatchObject([{ field: 'isUnique', code: 'not_allowed' }]);
});

test('a change of a field is an event, and the same again is none', async () => {
  const field = await newField({
    object: 'company',
    slug: 'changed',
    type: 'select',
    options: [{ label: 'A', color: '#ABCDEF' }],
  });
  expect(field.options).toEqual([{ id: expect.any(Number), label: 'A', color: '#abcdef', isArchived: false }]);
  const change = { title: 'Renamed', description: 'What it is', isRequired: true };
  for (let again = 0; again < 2; again += 1)
    expect((await workspace.live.patch(`/v1/fields/${field.id}`, change, 200)).body).toMatchObject(change);
  await workspace.live.post(`/v1/fields/${field.id}/archive`, {}, 200);
  const data = { field_id: String(field.id), object: 'company', slug: 'changed', title: 'Renamed', type: 'select' };
  const actor = expect.objectContaining({ type: 'api_key' });
  expect(await eventsAbout(workspace.id, `field/${field.id}`, 3)).toMatchObject([
    { event: 'field.created', data: { ...data, title: `Field ${made}`, is_archived: false, actor } },
    { event: 'field.updated', data: { ...data, is_archived: false, actor } },
    { event: 'field.updated', data: { ...data, is_archived: true, actor } },
  ]);
});

test('a slug is taken for good, archived fields included, and free in another object', async () => {
  const { id } = await newField({ slug: 'taken' });
  await workspace.live.post(`/v1/fields/${id}/archive`, {}, 200);
  const again = { object: 'contact', slug: 'taken', title: 'Again', type: 'text' };
  const { body } = await workspace.live.post('/v1/fields', again, 409);
  expect(body.details).toMatchObject({ reason: 'field_slug_taken', fieldId: id });
  await workspace.live.post('/v1/fields', { ...again, object: 'task' }, 201);
});

test('two fields of one slug made at once are one', async () => {
  const field = { object: 'deal', slug: 'race', title: 'Race', type: 'text' };
  const answers = await Promise.all([1, 2, 3].map(() => workspace.live.post('/v1/fields', field)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
});

test('a field moves among the fields of its object', async () => {
  for (const slug of ['a', 'b', 'c', 'd']) await newField({ object: 'company', slug });
  expect(await positions('company')).toEqual({ a: 1, b: 2, c: 3, d: 4 });
  const { items } = (await workspace.live.get('/v1/fields', { object: 'company' })).body;
  const idOf = (slug: string) => items.find((one: { slug: string }) => one.slug === slug).id;
  await workspace.live.patch(`/v1/fields/${idOf('d')}`, { position: 2 }, 200);
  expect(await positions('company')).toEqual({ a: 1, d: 2, b: 3, c: 4 });
  await workspace.live.patch(`/v1/fields/${idOf('a')}`, { position: 99 }, 200);
  expect(await positions('company')).toEqual({ d: 1, b: 2, c: 3, a: 4 });
  await workspace.live.post(`/v1/fields/${idOf('b')}/archive`, {}, 200);
  expect(await positions('company')).toEqual({ d: 1, c: 2, a: 3 });
});

test.each(['object', 'slug', 'type', 'isUnique', 'id', 'isArchived'])('PATCH of a field refuses %s', async (name) => {
  const { id } = await newField();
  const { body } = await workspace.live.patch(`/v1/fields/${id}`, { [name]: 'x' }, 400);
  expect(body.details.fields).toMatchObject([{ field: name, code: 'not_allowed' }]);
});

test('an option keeps its values under another label, and is archived when it is left out', async () => {
  const field = await newField({ slug: 'size', type: 'select', options: [{ label: 'Small' }, { label: 'Large' }] });
  const [small, large] = field.options;
  const make = async (value: unknown) =>
    (await workspace.live.post('/v1/contacts', { name: 'Ada', fields: { size: value } }, 201)).body.id as number;
  const [one, two] = [await make('small'), await make(large.id)];
  const options = [{ id: small.id, label: 'Tiny' }, { label: 'Huge' }];
  const changed = (await workspace.live.patch(`/v1/fields/${field.id}`, { options }, 200)).body;
  expect(changed.options).toMatchObject([
    { id: small.id, label: 'Tiny', isArchived: false },
    { label: 'Huge', isArchived: false },
    { id: large.id, label: 'Large', isArchived: true },
  ]);
  const sizeOf = async (id: number) => (await workspace.live.get(`/v1/contacts/${id}/fields`)).body.fields.size;
  expect([await sizeOf(one), await sizeOf(two)]).toEqual(['Tiny', 'Large']);
  const { body } = await workspace.live.patch(`/v1/contacts/${one}/fields`, { fields: { size: 'Large' } }, 400);
  expect(body.details.fields).toMatchObject([{ field: 'fields.size', code: 'invalid_enum' }]);
});

test('an option does not take the label of an archived one', async () => {
  const options = [{ label: 'A' }, { label: 'B' }];
  const { id, options: made } = await newField({ slug: 'renamed', type: 'select', options });
  const [a, b] = made;
  const rename = (given: object[], status: number) =>
    workspace.live.patch(`/v1/fields/${id}`, { options: given }, status);
  const { body } = await rename([{ id: a.id, label: 'b' }], 400);
  expect(body.details.fields).toMatchObject([{ field: 'options[0].label', code: 'not_allowed' }]);
  await rename([{ id: a.id, label: 'A' }], 200);
  await rename([{ id: a.id, label: 'B' }], 400);
  await rename(
    [
      { id: a.id, label: 'A' },
      { id: b.id, label: 'B' },
    ],
    200,
  );
});

test('a field has at most 500 options, archived ones included', async () => {
  const batch = (first: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({ label: `Option ${first + index}` }));
  const { id } = await newField({ type: 'select', options: batch(1, 200) });
  const patch = (options: object[], status: number) => workspace.live.patch(`/v1/fields/${id}`, { options }, status);
  await patch(batch(201, 200), 200);
  expect((await patch(batch(401, 101), 409)).body.details).toMatchObject({ reason: 'limit_reached', limit: 500 });
  expect((await patch(batch(401, 100), 200)).body.options).toHaveLength(500);
  expect((await patch([...batch(1, 100), ...batch(401, 100)], 200)).body.options).toHaveLength(500);
  await patch([{ label: 'Option 501' }], 409);
});

test('an archived field is neither shown nor accepted, and comes back with its values', async () => {
  const { id, slug } = await newField({ slug: 'hidden' });
  const contact = (await workspace.live.post('/v1/contacts', { name: 'Ada', fields: { hidden: 'x' } }, 201)).body.id;
  await workspace.live.post(`/v1/fields/${id}/archive`, {}, 200);
  await workspace.live.post(`/v1/fields/${id}/archive`, {}, 200);
  const shown = async () => (await workspace.live.get(`/v1/contacts/${contact}/fields`)).body.fields;
  expect(await shown()).not.toHaveProperty(slug);
  const { body } = await workspace.live.patch(`/v1/contacts/${contact}/fields`, { fields: { hidden: 'y' } }, 400);
  expect(body.details.fields).toMatchObject([{ field: 'fields.hidden', code: 'unknown_reference' }]);
  const listed = async (archived: object) =>
    (await workspace.live.get('/v1/fields', { ...archived, object: 'contact', limit: 100 })).body.items.some(
      (one: { id: number }) => one.id === id,
    );
  expect([await listed({}), await listed({ archived: 'false' })]).toEqual([false, false]);
  expect([await listed({ archived: 'true' }), await listed({ archived: 'all' })]).toEqual([true, true]);
  await workspace.live.post(`/v1/fields/${id}/restore`, {}, 200);
  expect(await shown()).toMatchObject({ hidden: 'x' });
});

test('an archived field is not checked', async () => {
  const { live } = await newWorkspace();
  const field = { object: 'task', slug: 'must', title: 'Must', type: 'text', isRequired: true };
  const { id } = (await live.post('/v1/fields', field, 201)).body;
  await live.post('/v1/tasks', { title: 'Call' }, 400);
  expect((await live.post(`/v1/fields/${id}/archive`, {}, 200)).body).toMatchObject({ id, isArchived: true });
  await live.post('/v1/tasks', { title: 'Call' }, 201);
  expect((await live.get('/v1/fields/schema', { object: 'task' })).body.properties).toEqual({});
  expect((await live.post(`/v1/fields/${id}/restore`, {}, 200)).body).toMatchObject({ id, isArchived: false });
  await live.post('/v1/tasks', { title: 'Call' }, 400);
});

test('a key sees the fields of the objects that it may read', async () => {
  const { id } = await newField({ object: 'deal', slug: 'secret' });
  const { client } = await workspace.mint({ scopes: ['contacts:read'] });
  const { items } = (await client.get('/v1/fields', { limit: 100 })).body;
  expect(new Set(items.map(({ object }: { object: string }) => object))).toEqual(new Set(['contact']));
  await client.get(`/v1/fields/${id}`, {}, 404);
  await client.get('/v1/fields/schema', { object: 'deal' }, 403);
  await client.post('/v1/fields', { object: 'contact', slug: 'no', title: 'No', type: 'text' }, 403);
});

test('an object has at most 100 fields that are not archived', async () => {
  const other = await newWorkspace();
  for (let index = 0; index < 100; index += 1)
    await other.live.post('/v1/fields', { object: 'task', slug: `f${index}`, title: 'F', type: 'text' }, 201);
  const more = { object: 'task', slug: 'more', title: 'More', type: 'text' };
  expect((await other.live.post('/v1/fields', more, 409)).body.details).toMatchObject(because('limit_reached'));
  const { items, nextCursor, hasMore } = (await other.live.get('/v1/fields', { limit: 60 })).body;
  expect([items.length, hasMore]).toEqual([60, true]);
  expect((await other.live.get('/v1/fields', { limit: 60, after: nextCursor })).body).toMatchObject({ hasMore: false });
  await other.live.post(`/v1/fields/${items[0].id}/archive`, {}, 200);
  await other.live.post('/v1/fields', more, 201);
  await other.live.post(`/v1/fields/${items[0].id}/restore`, {}, 409);
});

test.each([
  ['20 unique fields', { type: 'text', isUnique: true }],
  ['20 fields of contacts and companies', { type: 'company' }],
])('an object has at most %s, archived ones included', async (_, given) => {
  const { live } = await newWorkspace();
  const create = (index: number, status: number) =>
    live.post('/v1/fields', { object: 'task', slug: `field${index}`, title: 'Field', ...given }, status);
  const { body: first } = await create(0, 201);
  for (let index = 1; index < 20; index += 1) await create(index, 201);
  const refusal = { reason: 'limit_reached', limit: 20 };
  expect((await create(20, 409)).body.details).toMatchObject(refusal);
  await live.post(`/v1/fields/${first.id}/archive`, {}, 200);
  expect((await create(20, 409)).body.details).toMatchObject(refusal);
  await live.post(`/v1/fields/${first.id}/restore`, {}, 200);
});

test('an object has at most 300 fields, archived ones included', async () => {
  const { live, id } = await newWorkspace();
  const field = (index: number) => ({ object: 'task', slug: `field${index}`, title: 'Field', type: 'text' });
  const { body: first } = await live.post('/v1/fields', field(0), 201);
  await transact({ workspaceId: id, env: 'live' }, operator, async (tx) => {
    const order = await tx.get(FieldOrders, { object: 'task' });
    const archived = Array.from({ length: 299 }, (_, index) => ({
      ...{ id: first.id + 1 + index, slug: `field${index + 1}`, isArchived: true, isRequired: false },
    }));
    tx.update(FieldOrders, { ...order, fields: [...order.fields, ...archived] });
  });
  expect((await live.post('/v1/fields', field(300), 409)).body.details).toMatchObject({ limit: 300 });
});

test('the fields of an object have at most 2,000 options in all', async () => {
  const { live } = await newWorkspace();
  const field = (index: number, count = 200) => ({
    ...{ object: 'deal', slug: `field${index}`, title: 'Field', type: 'select' },
    options: Array.from({ length: count }, (_, option) => ({ label: `Option ${option}` })),
  });
  const { body: first } = await live.post('/v1/fields', field(0, 198), 201);
  for (let index = 1; index < 10; index += 1) await live.post('/v1/fields', field(index), 201);
  expect((await live.post('/v1/fields', field(10, 3), 409)).body.details).toMatchObject({ limit: 2000 });
  await live.post('/v1/fields', field(10, 1), 201);
  await live.post('/v1/fields', { ...field(11), object: 'task' }, 201);
  const more = { options: [...first.options, { label: 'One more' }, { label: 'And another' }] };
  await live.patch(`/v1/fields/${first.id}`, more, 409);
  await live.patch(`/v1/fields/${first.id}`, { options: more.options.slice(0, 199) }, 200);
  await live.patch(`/v1/fields/${first.id}`, { title: 'Renamed' }, 200);
});

test('a creation without values reads no definitions', async () => {
  const { live } = await newWorkspace();
  const field = { object: 'task', title: 'Field', type: 'select', options: [{ label: 'One' }] };
  await live.post('/v1/fields', { ...field, slug: 'first' }, 201);
  const { body: second } = await live.post('/v1/fields', { ...field, slug: 'second', isRequired: true }, 201);
  await live.post('/v1/tasks', { title: 'Call' }, 400);
  await live.patch(`/v1/fields/${second.id}`, { isRequired: false }, 200);
  const queries: string[] = [];
  await between(
    ({ operation, input }, next) => {
      if (operation === 'Query') queries.push(JSON.stringify(input));
      return next();
    },
    () => live.post('/v1/tasks', { title: 'Call' }, 201),
  );
  expect(queries.filter((query) => query.includes('#field"'))).toEqual([]);
  await live.patch(`/v1/fields/${second.id}`, { isRequired: true }, 200);
  await live.post('/v1/tasks', { title: 'Call' }, 400);
});

test('the schema of an object describes its fields', async () => {
  const other = await newWorkspace();
  await other.live.get('/v1/fields/schema', {}, 400);
  await other.live.post('/v1/fields', {
    object: 'contact',
    slug: 'tier',
    title: 'Tier',
    type: 'select',
    isRequired: true,
    options: [{ label: 'A' }],
  });
  await other.live.post('/v1/fields', {
    object: 'contact',
    slug: 'born',
    title: 'Born',
    type: 'date',
    description: 'Birthday',
  });
  expect((await other.live.get('/v1/fields/schema', { object: 'contact' })).body).toEqual({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Custom fields of a contact',
    type: 'object',
    properties: {
      tier: { title: 'Tier', type: 'string', enum: ['A'] },
      born: { title: 'Born', description: 'Birthday', type: ['string', 'null'], format: 'date' },
    },
    required: ['tier'],
    additionalProperties: false,
  });
});

test('the schema of an object takes the values that a record takes, and no others', async () => {
  const { live, memberId } = await newWorkspace();
  const contact = (await live.post('/v1/contacts', { name: 'Ada' }, 201)).body.id;
  const company = (await live.post('/v1/companies', { name: 'Engines' }, 201)).body.id;
  const deal = (await live.post('/v1/deals', { title: 'Engine' }, 201)).body.id;
  const task = (await live.post('/v1/tasks', { title: 'Call' }, 201)).body.id;
  const values: Record<string, [unknown, ...unknown[]]> = {
    text: ['a'.repeat(500), 'a'.repeat(501), 7],
    long_text: ['a'.repeat(10_000), 'a'.repeat(10_001), false],
    number: [-1e15, 2e15, '7'],
    money: [{ amount: 12.5, currency: 'EUR' }, { amount: 12.5 }, { amount: '12.5', currency: 'EUR' }, 12.5],
    checkbox: [false, 'true', 1],
    date: ['2028-02-29', '2027-02-29', '2028-02-29T00:00:00Z'],
    datetime: ['2026-11-20T21:17:00Z', 'tomorrow', 7],
    select: ['B', 'C', ['B']],
    multi_select: [['B', 'A'], ['B', 'B'], ['C'], 'B', Array(51).fill('A')],
    url: ['https://example.com/a?b=c', 'example', `https://a.com/${'a'.repeat(2048)}`],
    email: ['ada@example.com', 'Ada <ada@example.com>', 7],
    phone: ['+44 20 7946 0018', '1'.repeat(33), 7],
    member: [memberId, 0, 'Ann'],
    contact: [contact, 1.5, 'Ada'],
    company: [company, -1, 'Engines'],
    deal: [deal, 0, 'Engine'],
  };
  for (const type of Object.keys(values)) {
    const options = type.endsWith('select') && { options: [{ label: 'A' }, { label: 'B' }] };
    await live.post('/v1/fields', { object: 'task', slug: type, title: `Own ${type}`, type, ...options }, 201);
  }
  for (const type of ['select', 'multi_select'])
    await live.post('/v1/fields', { object: 'task', slug: `no_${type}`, title: 'Empty', type, options: [] }, 201);
  const { body } = await live.get('/v1/fields/schema', { object: 'task' }, 200);
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  formats.default(ajv);
  const isTaken = ajv.compile(body);
  const set = async (fields: object, status: number) =>
    (await live.patch(`/v1/tasks/${task}/fields`, { fields }, status)).body;
  const taken = Object.fromEntries(Object.entries(values).map(([type, [value]]) => [type, value]));
  expect((await set(taken, 200)).fields).toMatchObject(taken);
  expect([isTaken(taken), ajv.errorsText(isTaken.errors)]).toEqual([true, 'No errors']);
  for (const at of [1, 2, 3, 4]) {
    const wrong = Object.entries(values).flatMap(([type, of]) => (at in of ? [[type, of[at]] as const] : []));
    const { details } = await set(Object.fromEntries(wrong), 400);
    const refused = details.fields.map(({ field }: { field: string }) => field.split(/[.[]/)[1]);
    expect(new Set(refused)).toEqual(new Set(wrong.map(([type]) => type)));
    expect(wrong.filter(([type, value]) => isTaken({ [type]: value }))).toEqual([]);
  }
  for (const type of Object.keys(values)) expect(body.properties[type].title).toBe(`Own ${type}`);
  expect(isTaken({ unknown: 'x' })).toBe(false);
  expect([null, 'x', ''].map((value) => isTaken({ no_select: value }))).toEqual([true, false, false]);
  expect([null, [], ['x']].map((value) => isTaken({ no_multi_select: value }))).toEqual([true, true, false]);
});
