import { beforeAll, describe, expect, test } from 'vitest';
import { type Definition, mcp } from '#test/mcp/client.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let tool: ReturnType<typeof mcp>;
beforeAll(async () => {
  workspace = await newWorkspace();
  tool = mcp(workspace.liveKey);
});

describe('a message', () => {
  const send = (method: string, params: unknown) => tool.send({ jsonrpc: '2.0', id: 1, method, params });

  test.each([
    ['tools/list', null],
    ['tools/list', ''],
    ['tools/list', []],
    ['tools/list', { cursor: null }],
    ['tools/list', { cursor: '' }],
    ['ping', null],
    ['tools/call', { name: 'contacts_search', arguments: null }],
    ['tools/call', { name: 'contacts_search', arguments: '' }],
    ['tools/call', { name: 'contacts_search', arguments: [] }],
    ['tools/call', { name: 'contacts_search', arguments: '{}' }],
    ['tools/call', { name: 'contacts_search', arguments: '{"q": "ann"}' }],
  ])('%s takes %j as what it means', async (method, params) => {
    const { status, body } = await send(method, params);
    expect([status, body.error, body.result?.isError]).toEqual([200, undefined, undefined]);
  });

  test.each([
    ['tools/list', { cursor: 'x' }],
    ['tools/list', 7],
    ['tools/call', { name: 'contacts_search', arguments: [1] }],
    ['tools/call', { name: 'contacts_search', arguments: 'q=ann' }],
  ])('%s refuses %j', async (method, params) => {
    expect((await send(method, params)).body.error.code).toBe(-32602);
  });
});

describe('an empty text', () => {
  const contact = { name: 'Kept', phone: '+49 30 1', email: 'kept@example.com', company: 'Co', notes: 'Notes' };
  const empty = { phone: '', email: ' ', company: '', notes: '', stage: '', note: '', addTags: '', removeTagIds: '' };

  test('clears nothing, and null clears', async () => {
    const { id } = await tool.value('contacts_create', { ...contact, phone: '+49 30 12345', matchOn: '' });
    const kept = await tool.value('contacts_update', {
      id,
      ...empty,
      assignedToUserId: '',
      leadScore: '',
      metadata: '',
    });
    expect(kept).toMatchObject({ ...contact, phone: '+49 30 12345' });
    const items = [{ op: 'update', id, email: '', notes: '' }];
    await tool.value('records_batch', { resource: 'contacts', items });
    expect((await workspace.live.get(`/v1/contacts/${id}`)).body).toMatchObject({ ...contact, phone: '+49 30 12345' });
    const cleared = await tool.value('contacts_update', { id, email: null, notes: null });
    expect(cleared).toMatchObject({ email: null, notes: null, company: 'Co' });
  });

  test.each([
    ['deals_create', { title: 'A', contactId: '', currency: '', expectedCloseAt: '' }],
    ['tasks_create', { title: 'A', dealId: '', dueAt: '', assignedToUserId: '', priority: '' }],
    ['contacts_search', { q: '', stage: '', filters: '', fields: '', after: '' }],
    ['contacts_search', { filters: { email: '', ids: '' } }],
    ['contacts_search', { filters: '{}' }],
  ])('counts as absent in %s: %j', async (name, args) => {
    const { isError, value } = await tool.call(name, args);
    expect([isError, value.ignoredArguments], JSON.stringify(value)).toEqual([false, undefined]);
  });

  test('is no value of what is required', async () => {
    const { value } = await tool.call('contacts_get', { id: '' });
    expect(value.details.fields[0]).toMatchObject({ field: 'id', message: 'id is required' });
    expect((await tool.call('deals_create', { title: '' })).value.message).toBe('title is required');
  });
});

describe('an argument that says nothing', () => {
  const kept = { company: 'Co', notes: 'Notes', metadata: { a: '1' } };

  test.each([
    { metadata: {} },
    { metadata: '{}' },
    { metadata: ' { } ' },
    { metadata: '\u200b' },
    { metadata: { a: '' } },
    { metadata: '{"a":" ","b":"\u2800"}' },
    { company: '\u00ad', notes: '\u2800' },
    { company: '\u200b \ufeff', notes: '\u3164' },
    { name: '\u2800', email: [], addTags: '[]', removeTagIds: {} },
    { addTags: 'null', note: '\u034f' },
  ])('changes nothing: %j', async (args) => {
    const { id } = await tool.value('contacts_create', { name: 'Kept', ...kept });
    const { isError, value } = await tool.call('contacts_update', { id, ...args });
    expect(isError, JSON.stringify(value)).toBe(false);
    expect(await tool.value('contacts_get', { id })).toMatchObject({ name: 'Kept', tags: [], ...kept });
    expect((await workspace.live.get(`/v1/contacts/${id}/activities`)).body.items).toHaveLength(1);
  });

  test('is absent from nested arguments too', async () => {
    const created = { op: 'create', title: 'Nested', metadata: {}, contactId: '\u00ad', expectedCloseAt: [] };
    const batch = await tool.value('records_batch', { resource: 'deals', items: [created] });
    expect([batch.succeeded, batch.ignoredArguments]).toEqual([1, undefined]);
  });

  test.each(['contacts', 'deals', 'tasks'])('leaves the other pairs of %s, and null removes one', async (nouns) => {
    const named = nouns === 'contacts' ? { name: 'Pairs' } : { title: 'Pairs' };
    const { id } = (await workspace.live.post(`/v1/${nouns}`, { ...named, metadata: { a: '1', b: '2' } }, 201)).body;
    const changed = await tool.value(`${nouns}_update`, { id, metadata: { b: null, c: '3' } });
    expect(changed.metadata).toEqual({ a: '1', c: '3' });
    expect((await tool.value(`${nouns}_update`, { id, metadata: {} })).metadata ?? { a: '1', c: '3' }).toEqual({
      a: '1',
      c: '3',
    });
    expect((await workspace.live.get(`/v1/${nouns}/${id}/metadata`)).body.metadata).toEqual({ a: '1', c: '3' });
  });
});

describe('a text that is a list, a number, or an object', () => {
  const tagsAfter = async (addTags: unknown) => {
    const { id } = await tool.value('contacts_create', { name: 'Tags' });
    const { isError, value } = await tool.call('contacts_update', { id, addTags });
    return isError ? value.details.fields[0].field : value.tags.map(({ name }: { name: string }) => name);
  };

  test.each([
    ['["a","b"]', ['a', 'b']],
    ['vip', ['vip']],
    [
      ['x', 'y'],
      ['x', 'y'],
    ],
    ['x,y', 'addTags'],
    ['["a"', 'addTags'],
    [['["a"]'], 'addTags'],
    ['"a"', ['a']],
    ['"a","b"', 'addTags'],
    ['a; b', 'addTags'],
    ['null', []],
    [null, []],
  ])('names tags as they are meant: %j', async (given, expected) => {
    expect(await tagsAfter(given)).toEqual(expected);
  });

  test('is read where it can be nothing else', async () => {
    const { id } = await tool.value('contacts_create', { name: 'Read' });
    const score = await tool.value('contacts_update', { id: String(id), leadScore: '7', metadata: '{"a":"1"}' });
    expect([score.leadScore, score.metadata]).toEqual([7, { a: '1' }]);
    const deal = await tool.value('deals_create', { title: 'A', contactId: `${id}`, value: '10.50' });
    expect([deal.contactId, deal.value]).toEqual([id, 10.5]);
    const found = await tool.value('contacts_search', { filters: `{"ids":"${id}","metadata":{"a":"1"}}` });
    expect(found.items).toHaveLength(1);
    const parts = await tool.value('contacts_get', { id, include: 'metadata,channels' });
    expect(Object.keys(parts)).toEqual(expect.arrayContaining(['metadata', 'channels']));
    const items = `[{"op":"create","title":"By text"}]`;
    expect((await tool.value('records_batch', { resource: 'tasks', items, atomic: 'true' })).succeeded).toBe(1);
  });
});

describe('a text in an item or in a nested argument', () => {
  test.each([
    ['contacts_create', { name: 'T', tags: '["q","r"]' }],
    ['contacts_create', { name: 'T', tags: 'q' }],
    ['contacts_create', { name: 'T', leadScore: '7' }],
    ['records_batch', { resource: 'contacts', items: [{ op: 'create', name: 'T', tags: '["q","r"]' }] }],
    ['records_batch', { resource: 'contacts', items: [{ op: 'create', name: 'T', metadata: '{"a":"1"}' }] }],
    ['records_batch', { resource: 'deals', items: [{ op: 'create', title: 'T', value: '12.50', probability: '50' }] }],
    ['records_batch', { resource: 'tasks', items: ['{"op":"create","title":"T"}'] }],
    ['contacts_search', { filters: { ids: '[1,2]', hasUnread: 'TRUE', metadata: '{"a":"1"}' } }],
    ['contacts_search', { fields: '["id","name"]' }],
  ])('is read by %s as at the top: %j', async (name, args) => {
    const { isError, value } = await tool.call(name, args);
    expect([isError, value.failed ?? 0, value.ignoredArguments], JSON.stringify(value)).toEqual([false, 0, undefined]);
  });

  test('is the id of an item, and its tags', async () => {
    const { id } = await tool.value('contacts_create', { name: 'By text', tags: '["q","r"]' });
    const items = [{ op: 'update', id: `${id}`, company: 'New' }];
    expect((await tool.value('records_batch', { resource: 'contacts', items })).succeeded).toBe(1);
    const contact = await tool.value('contacts_get', { id });
    expect([contact.company, contact.tags.map((tag: { name: string }) => tag.name)]).toEqual(['New', ['q', 'r']]);
  });

  test.each([
    ['tags_manage', { action: 'create', name: '["a"]' }, 'name'],
    ['tags_manage', { action: 'create', name: "['a']" }, 'name'],
    ['tags_manage', { action: 'create', name: '["a"' }, 'name'],
    ['tags_manage', { action: 'create', name: '{"name":"a"}' }, 'name'],
    ['tags_manage', { action: 'create', name: '[1]' }, 'name'],
    ['contacts_create', { name: 'T', tags: ["['a']"] }, 'tags'],
    ['contacts_create', { name: '["a"]' }, 'name'],
    ['contacts_create', { name: 'T', tags: ['["a"]'] }, 'tags'],
    ['contacts_create', { name: 'T', tags: 'a,b' }, 'tags'],
    ['deals_create', { title: '["a", "b"]' }, 'title'],
    ['tasks_create', { title: ' ["a"]' }, 'title'],
    ['records_batch', { resource: 'contacts', items: [{ op: 'addTag', id: 1, tagName: '["z"]' }] }, 'items[0].tagName'],
    ['records_batch', { resource: 'contacts', items: [{ op: 'create', name: 'T', tags: ['["z"]'] }] }, 'items[0].tags'],
  ])('is no name for %s when it is a list: %j', async (name, args, field) => {
    const { isError, value } = await tool.call(name, args);
    expect([isError, value.details?.fields[0]?.field], JSON.stringify(value)).toEqual([true, field]);
  });
});

test('a name may have brackets', async () => {
  const { name, tags } = await tool.value('contacts_create', { name: '[VIP] Ann', tags: ['[urgent]', '{a}'] });
  expect([name, tags.map((tag: { name: string }) => tag.name)]).toEqual(['[VIP] Ann', ['[urgent]', '{a}']]);
});

describe('fields', () => {
  test.each([
    ['contacts_search', { fields: 'nope' }, 'stage'],
    ['contacts_search', { fields: ['name', 'nope'] }, 'username'],
    ['contacts_search', { q: 'nobody has this name', fields: 'nope' }, 'username'],
    ['contacts_get', { fields: 'name,nope' }, 'tags'],
    ['deals_search', { fields: 'amount' }, 'value'],
    ['tasks_search', { fields: 'due' }, 'dueAt'],
    ['jobs_search', { view: 'telegram', fields: 'nope' }, 'runAt'],
    ['finance_get', { report: 'transactions', fields: 'nope' }, 'occurredAt'],
  ])('unknown to %s are refused with the names that it has: %j', async (name, args, known) => {
    const { id } = (await workspace.live.post('/v1/contacts', { name: 'Shown' }, 201)).body;
    const needed = name === 'contacts_get' ? { id } : {};
    const { isError, value } = await tool.call(name, { ...needed, ...args });
    expect([isError, value.details?.fields?.[0]]).toEqual([
      true,
      {
        field: 'fields',
        code: 'invalid_enum',
        message: expect.stringMatching(`^fields must be some of .*\\b${known}\\b`),
      },
    ]);
  });

  test('may name a field that no row shows', async () => {
    const { value } = await tool.call('contacts_search', { q: 'nobody has this name', fields: ' name , stage,' });
    expect(value.items).toEqual([]);
  });
});

describe('a search', () => {
  test.each([
    ['contacts_search', { query: 'ann' }],
    ['contacts_search', { filters: { bogus: 1 } }],
    ['contacts_search', { filters: '{"bogus":1}', limit: 5 }],
    ['contacts_search', { query: 'x', q: null }],
    ['contacts_search', { query: 'x', stage: null, filters: { email: null } }],
    ['contacts_search', { query: 'x', filters: { ids: [], metadata: { a: null } } }],
    ['contacts_search', { query: 'x', filters: { metadata: '{"a":null}' } }],
    ['tasks_search', { assignee: 'x', status: null }],
    ['deals_search', { query: 'x', stage: '\u200b' }],
  ])('whose every filter is ignored is refused: %s %j', async (name, args) => {
    const { isError, value } = await tool.call(name, args);
    expect([isError, value.details?.fields[0].code]).toEqual([true, 'not_allowed']);
  });

  test.each([{ q: null }, { filters: { stage: null } }, { filters: null }, { q: '\u200b', stage: null }])(
    'without any filter shows all: %j',
    async (args) => {
      expect((await tool.value('contacts_search', args)).items.length).toBeGreaterThan(0);
    },
  );

  test('names the filter that it ignored beside another', async () => {
    const { value } = await tool.call('contacts_search', { q: 'ann', bogus: 1 });
    expect(value.ignoredArguments).toEqual(['bogus']);
  });
});

test('inputs of tools have no empty objects, no lists of types, and items in every array', async () => {
  const wrong: string[] = [];
  const look = (at: string, schema: Record<string, unknown>) => {
    const { type, properties, items, anyOf = [] } = schema;
    if (Array.isArray(type)) wrong.push(`${at} has a list of types`);
    if (type === 'object' && Object.keys((properties as object) ?? {}).length === 0)
      wrong.push(`${at} is an empty object`);
    if (type === 'array' && items === undefined) wrong.push(`${at} has no items`);
    if (type === undefined && (anyOf as unknown[]).length === 0) wrong.push(`${at} has no type`);
    for (const [name, one] of Object.entries((properties ?? {}) as Record<string, Record<string, unknown>>))
      look(`${at}.${name}`, one);
    for (const one of [items ?? [], anyOf].flat() as Record<string, unknown>[]) look(`${at}[]`, one);
  };
  for (const { name, inputSchema } of await tool.list())
    for (const [key, schema] of Object.entries((inputSchema as unknown as Definition['inputSchema']).properties))
      look(`${name}.${key}`, schema as Record<string, unknown>);
  expect(wrong).toEqual([]);
});
