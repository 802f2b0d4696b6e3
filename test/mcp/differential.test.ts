import { beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '#test/client.ts';
import { mcp } from '#test/mcp/client.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

type Row = Record<string, unknown>;

let workspace: TestWorkspace;
let rest: Client;
let tool: ReturnType<typeof mcp>;
let contactId: number;
let dealId: number;
let taskId: number;

beforeAll(async () => {
  workspace = await newWorkspace();
  rest = workspace.live;
  tool = mcp(workspace.liveKey);
  const contacts = await rest.post('/v1/contacts/batch', {
    items: Array.from({ length: 30 }, (_, index) => ({ op: 'create', name: `Lead ${index}`, email: `l${index}@x.io` })),
  });
  contactId = contacts.body.results[0].contact.id;
  dealId = (await rest.post('/v1/deals', { title: 'Big one', contactId, value: 1200.5 })).body.id;
  taskId = (await rest.post('/v1/tasks', { title: 'Call', dealId, dueAt: '2035-01-01T00:00:00Z' })).body.id;
  await rest.post(`/v1/contacts/${contactId}/activities`, { text: 'Met at the fair' });
  await rest.post(`/v1/contacts/${contactId}/tags`, { tagName: 'VIP' });
  await rest.put(`/v1/contacts/${contactId}/metadata`, { metadata: { crm: 'old' } });
  await rest.post('/v1/finance/transactions', { type: 'income', amount: 12.34, currency: 'EUR' });
});

describe('a read answers what the same REST call answers', () => {
  const reads: [string, Row, string, Record<string, string | number | boolean>?][] = [
    ['workspace_get', { part: 'me' }, '/v1/me'],
    ['workspace_get', { part: 'members' }, '/v1/members'],
    ['workspace_get', { part: 'telegram_accounts' }, '/v1/telegram/accounts'],
    ['workspace_get', { part: 'twitter_accounts' }, '/v1/twitter/accounts'],
    ['contacts_search', {}, '/v1/contacts'],
    ['contacts_search', { q: 'lead 2', limit: 3 }, '/v1/contacts', { q: 'lead 2', limit: 3 }],
    ['contacts_search', { assignedToUserId: 'none', limit: 2 }, '/v1/contacts', { assignedToUserId: 'none', limit: 2 }],
    ['contacts_search', { hasUnread: false, after: 9 }, '/v1/contacts', { hasUnread: false, after: 9 }],
    ['contacts_search', { filters: { email: 'L7@x.io' } }, '/v1/contacts', { email: 'L7@x.io' }],
    ['contacts_search', { filters: { ids: [3, 1] } }, '/v1/contacts', { ids: '3,1' }],
    ['contacts_search', { filters: { metadata: { crm: 'old' } } }, '/v1/contacts', { 'metadata.crm': 'old' }],
    ['deals_search', { stage: 'Lead', filters: { minValue: 1000 } }, '/v1/deals', { stage: 'lead', minValue: 1000 }],
    ['tasks_search', { overdue: false }, '/v1/tasks', { overdue: false }],
    [
      'finance_get',
      { report: 'transactions', filters: { type: 'income' } },
      '/v1/finance/transactions',
      { type: 'income' },
    ],
    ['finance_get', { report: 'invoices' }, '/v1/finance/invoices'],
    ['finance_get', { report: 'revenue_sources' }, '/v1/finance/revenue-sources'],
    ['email_search', { unreadOnly: true }, '/v1/email/threads', { unreadOnly: true }],
    ['sequences_get', { view: 'sequences' }, '/v1/sequences'],
    ['jobs_search', { view: 'jobs' }, '/v1/jobs'],
    ['jobs_search', { view: 'telegram' }, '/v1/telegram/messages'],
    ['reports_get', { report: 'pipelines' }, '/v1/pipelines'],
    ['reports_get', { report: 'pipelines', id: 1 }, '/v1/pipelines/1'],
    ['reports_get', { report: 'pipeline_columns', id: 1 }, '/v1/pipelines/1/columns'],
    ['webhooks_get', { view: 'endpoints' }, '/v1/webhooks'],
    ['agents_test', { action: 'list' }, '/v1/agents'],
  ];
  test.each(reads)('%s %j', async (name, args, path, query) => {
    const { status, body } = await rest.get(path, query);
    expect(status).toBe(200);
    expect(await tool.value(name, args)).toEqual(body);
  });

  const timed: [string, Row, string, Record<string, string>][] = [
    ['finance_get', { report: 'summary', from: '2026-01-01', to: '2026-02-01' }, '/v1/finance/summary', {}],
    ['reports_get', { report: 'dashboard', from: '2026-01-01', to: '2026-02-01' }, '/v1/analytics/dashboard', {}],
    [
      'reports_get',
      { report: 'messaging', groupBy: 'week', from: '2026-01-01', to: '2026-02-01' },
      '/v1/analytics/messaging',
      { groupBy: 'week' },
    ],
  ];
  test.each(timed)('%s %j', async (name, args, path, query) => {
    const range = { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' };
    expect(await tool.value(name, { ...args, ...range })).toEqual((await rest.get(path, { ...range, ...query })).body);
  });

  test('contacts_get puts the contact and what belongs to it together', async () => {
    const path = `/v1/contacts/${contactId}`;
    const [shown, messages, activities, duplicates, metadata] = await Promise.all(
      [
        '?include=addresses,updatedAt',
        '/messages?limit=10',
        '/activities?limit=10',
        '/duplicates?limit=10',
        '/metadata',
      ].map(async (part) => (await rest.get(path + part)).body),
    );
    const [{ label, bouncedAt, ...address }] = shown.addresses;
    expect([label, bouncedAt]).toEqual([null, null]);
    const contact = { ...shown, addresses: [address] };
    expect(await tool.value('contacts_get', { id: contactId })).toEqual({
      ...contact,
      messages,
      activities,
      ...metadata,
    });
    expect(await tool.value('contacts_get', { id: contactId, include: ['activities', 'duplicates'] })).toEqual({
      ...contact,
      activities,
      duplicates,
    });
  });

  test('contacts_get without an id shows what there is of all contacts', async () => {
    const [messages, activities] = await Promise.all(
      ['/v1/messages?limit=25', '/v1/activities?limit=25&type=Created'].map(
        async (path) => (await rest.get(path)).body,
      ),
    );
    expect(await tool.value('contacts_get', { include: ['messages'] })).toEqual({ messages });
    const filters = { type: 'Created' };
    expect(await tool.value('contacts_get', { include: ['activities'], filters })).toEqual({ activities });
    expect((await tool.call('contacts_get', { include: ['metadata'] })).value.details.fields[0].field).toBe('id');
  });

  test('deals_get and tasks_search by id show the metadata too', async () => {
    const { pipeline, ...deal } = (await rest.get(`/v1/deals/${dealId}?include=pipeline`)).body;
    const { lostReason, ...place } = pipeline;
    expect(lostReason).toBeNull();
    expect(await tool.value('deals_get', { id: dealId })).toEqual({ ...deal, pipeline: place, metadata: {} });
    expect(await tool.value('tasks_search', { id: taskId })).toEqual({
      ...(await rest.get(`/v1/tasks/${taskId}`)).body,
      metadata: {},
    });
  });

  test('tags come page by page, in the order of the dictionary', async () => {
    for (const name of ['b', 'a', 'd', 'c']) await rest.post('/v1/tags', { name });
    const { items } = (await rest.get('/v1/tags')).body;
    const first = await tool.value('workspace_get', { part: 'tags', limit: 3 });
    expect(first).toEqual({ items: items.slice(0, 3), nextCursor: items[2].id, hasMore: true });
    const second = await tool.value('workspace_get', { part: 'tags', limit: 3, after: first.nextCursor });
    expect(second).toEqual({ items: items.slice(3), nextCursor: null, hasMore: false });
    expect((await tool.value('workspace_get', { part: 'tags', q: 'VI' })).items).toEqual(
      items.filter(({ name }: Row) => name === 'VIP'),
    );
  });
});

describe('a write does what the REST calls do', () => {
  const timeless = (value: Row) =>
    JSON.parse(JSON.stringify(value, (name, one) => (/(^id|Id|At)$/.test(name) && one !== null ? 0 : one)));

  test('contacts_create answers as POST /v1/contacts, and with matchOn as upsert', async () => {
    const fields = { name: 'Zoe', username: '@zoe', phone: '+49 30 1234567', company: 'Z' };
    const created = await tool.value('contacts_create', fields);
    expect(timeless(created)).toEqual(timeless((await rest.post('/v1/contacts', fields)).body));
    expect((await rest.get(`/v1/contacts/${created.id}`)).body).toEqual(created);
    const fresh = { matchOn: 'email', email: 'zed@x.io', name: 'Zed' };
    const { id } = await tool.value('contacts_create', fresh);
    expect((await tool.value('contacts_create', { ...fresh, name: 'Zedd' })).id).toBe(id);
    expect((await rest.get(`/v1/contacts/${id}`)).body.name).toBe('Zedd');
  });

  test('contacts_update changes everything in one call, with the timeline of the single calls', async () => {
    const [one, other] = await Promise.all(
      ['By tool', 'By REST'].map(async (name) => (await rest.post('/v1/contacts', { name })).body.id as number),
    );
    const tag = (await rest.post('/v1/tags', { name: `old ${one}` })).body.id;
    for (const id of [one, other]) await rest.post(`/v1/contacts/${id}/tags`, { tagId: tag });
    const changes = { company: 'ACME', email: null, stage: 'qualified', assignedToUserId: workspace.memberId };
    const updated = await tool.value('contacts_update', {
      id: one,
      ...changes,
      leadScore: 77,
      addTags: ['warm', 'VIP'],
      removeTagIds: [tag],
      note: 'Called back',
      metadata: { crm: '1' },
    });
    const path = `/v1/contacts/${other}`;
    await rest.patch(path, { company: 'ACME', email: null });
    await rest.post(`${path}/stage`, { stage: 'qualified' });
    await rest.post(`${path}/assignee`, { userId: workspace.memberId });
    await rest.post(`${path}/lead-score`, { score: 77 });
    for (const tagName of ['warm', 'VIP']) await rest.post(`${path}/tags`, { tagName });
    await rest.delete(`${path}/tags/${tag}`);
    const note = (await rest.post(`${path}/activities`, { text: 'Called back' })).body;
    const { metadata } = (await rest.put(`${path}/metadata`, { metadata: { crm: '1' } })).body;
    const expected = { ...(await rest.get(path)).body, metadata, note, name: 'By tool' };
    expect(timeless(updated)).toEqual(timeless(expected));
    const timeline = async (id: number | undefined) =>
      (await rest.get(`/v1/contacts/${id}/activities`)).body.items.map(timeless);
    const sorted = (rows: Row[]) => rows.map((row) => JSON.stringify(row)).toSorted();
    expect(sorted(await timeline(one))).toEqual(sorted(await timeline(other)));
  });

  test('contacts_update does all or nothing', async () => {
    const { id } = (await rest.post('/v1/contacts', { name: 'Whole' })).body;
    const before = (await rest.get(`/v1/contacts/${id}`)).body;
    for (const [bad, field] of [
      [{ assignedToUserId: 999_999 }, 'assignedToUserId'],
      [{ leadScore: 101 }, 'leadScore'],
      [{ note: null }, 'note'],
      [{ stage: 'won' }, 'stage'],
    ] as const) {
      const { isError, value } = await tool.call('contacts_update', { id, company: 'New', stage: 'lost', ...bad });
      expect([isError, value.error, value.details.fields[0].field]).toEqual([true, 'bad_request', field]);
      expect(value.message).toMatch(new RegExp(`^${field} `));
    }
    const missing = await tool.call('contacts_update', { id, company: 'New', removeTagIds: [999_999] });
    expect([missing.isError, missing.value.error]).toEqual([true, 'not_found']);
    expect((await rest.get(`/v1/contacts/${id}`)).body).toEqual(before);
    expect((await rest.get(`/v1/contacts/${id}/activities`)).body.items).toHaveLength(1);
  });

  test('deals_update and tasks_update change fields, state and metadata together', async () => {
    const deal = await tool.value('deals_create', { title: 'Deal', contactId, value: 10 });
    const moved = await tool.value('deals_update', {
      id: deal.id,
      value: 20,
      stage: 'negotiation',
      metadata: { a: 'b' },
    });
    expect(moved).toEqual({ ...(await rest.get(`/v1/deals/${deal.id}`)).body, metadata: { a: 'b' } });
    expect([moved.value, moved.stage, moved.probability]).toEqual([20, 'Negotiation', 70]);
    const won = await tool.call('deals_update', { id: deal.id, value: 30, stage: 'won' });
    expect([won.isError, won.value]).toEqual([
      true,
      (await rest.post(`/v1/deals/${deal.id}/stage`, { stage: 'won' })).body,
    ]);
    expect((await rest.get(`/v1/deals/${deal.id}`)).body.value).toBe(20);
    const task = await tool.value('tasks_create', { title: 'Do', dealId: deal.id });
    const done = await tool.value('tasks_update', { id: task.id, priority: 'high', status: 'done' });
    expect(done).toEqual((await rest.get(`/v1/tasks/${task.id}`)).body);
    expect([done.status, done.priority]).toEqual(['Done', 'High']);
  });

  test('records_batch tells of each record what became of it', async () => {
    const items = [{ op: 'create', name: 'Many' }, { op: 'update', id: 999_999, name: 'X' }, { op: 'dance' }];
    const { results, ...sums } = await tool.value('records_batch', { resource: 'contacts', items });
    expect(sums).toEqual({ succeeded: 1, failed: 2 });
    expect(results).toEqual([
      { index: 0, status: 201, id: expect.any(Number), error: null },
      { index: 1, status: 404, id: null, error: expect.objectContaining({ error: 'not_found' }) },
      { index: 2, status: 400, id: null, error: expect.objectContaining({ error: 'bad_request' }) },
    ]);
  });

  test('tags_manage and contacts_merge act as their routes', async () => {
    const tag = await tool.value('tags_manage', { action: 'create', name: 'Made', color: '#112233' });
    expect(await tool.value('tags_manage', { action: 'update', id: tag.id, name: 'Renamed' })).toEqual({
      ...tag,
      name: 'Renamed',
    });
    expect(await tool.value('tags_manage', { action: 'delete', id: tag.id })).toEqual({ id: tag.id, deleted: true });
    const [target, source] = await Promise.all(
      [{ name: 'T' }, { name: 'S', company: 'Kept' }].map((body) => rest.post('/v1/contacts', body)),
    );
    const merged = await tool.value('contacts_merge', { id: target?.body.id, sourceContactId: source?.body.id });
    expect([merged.name, merged.company]).toEqual(['T', 'Kept']);
    await rest.get(`/v1/contacts/${source?.body.id}`, undefined, 404);
  });

  test('an idempotencyKey makes a repetition safe, also between REST and MCP', async () => {
    const args = { action: 'create_transaction', type: 'expense', amount: 7.5, currency: 'EUR' };
    const first = await tool.value('finance_record', { ...args, idempotencyKey: 'once' });
    expect(await tool.value('finance_record', { ...args, idempotencyKey: 'once' })).toEqual(first);
    const changed = await tool.call('finance_record', { ...args, amount: 8, idempotencyKey: 'once' });
    expect([changed.isError, changed.value.details]).toEqual([true, because('idempotency_key_reused')]);
    const { action: _, ...body } = args;
    const again = await rest.post('/v1/finance/transactions', body, { 'idempotency-key': 'once' });
    expect([again.status, again.body, again.headers['idempotency-replayed']]).toEqual([201, first, 'true']);
  });
});

describe('a refusal is the REST envelope', () => {
  const refusals: [string, Row, string, string, unknown?][] = [
    ['contacts_get', { id: 999_999 }, 'GET', '/v1/contacts/999999'],
    ['contacts_get', { id: 'abc' }, 'GET', '/v1/contacts/abc'],
    ['contacts_search', { limit: 'many' }, 'GET', '/v1/contacts?limit=many'],
    ['contacts_create', { email: 'a@b' }, 'POST', '/v1/contacts', { email: 'a@b' }],
    ['deals_create', { title: 'X', contactId: 999_999 }, 'POST', '/v1/deals', { title: 'X', contactId: 999_999 }],
    ['tasks_create', {}, 'POST', '/v1/tasks', {}],
    ['finance_record', { action: 'mark_invoice_paid', id: 9 }, 'POST', '/v1/finance/invoices/9/paid', {}],
    [
      'telegram_send',
      { accountId: 9, text: 'x', username: 'y' },
      'POST',
      '/v1/telegram/messages',
      { accountId: 9, text: 'x', username: 'y' },
    ],
    ['email_reply', { id: 9, bodyText: 'x' }, 'POST', '/v1/email/threads/9/replies', { bodyText: 'x' }],
    ['email_reply', { as: 'new', to: ['x'] }, 'POST', '/v1/email/messages', { to: ['x'] }],
    ['sequences_control', { id: 9, action: 'pause' }, 'POST', '/v1/sequences/9/pause'],
    ['agents_test', { id: 9, action: 'test_run', message: 'Hi' }, 'POST', '/v1/agents/9/test-run', { message: 'Hi' }],
  ];
  test.each(refusals)('%s %j', async (name, args, method, path, body) => {
    const answer = await rest.call(method, path, body === undefined ? {} : { body });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(await tool.call(name, args)).toEqual({ isError: true, value: answer.body });
  });

  test('and names the argument that a tool needs', async () => {
    for (const [name, args, field] of [
      ['contacts_get', {}, 'id'],
      ['workspace_get', {}, 'part'],
      ['jobs_search', { view: 'twitter' }, 'id'],
      ['email_update', { id: 1 }, 'status'],
      ['contacts_get', { id: 1, include: ['deals'] }, 'include[0]'],
      ['contacts_get', { id: 1, after: 3 }, 'after'],
    ] as const) {
      const { isError, value } = await tool.call(name, args);
      expect([isError, value.error, value.details.fields[0].field], name).toEqual([true, 'bad_request', field]);
    }
  });

  test('arguments that nothing takes are named in the result', async () => {
    const { ignoredArguments } = await tool.value('contacts_search', {
      ...{ limit: 1, q: 'x', stge: 'new', filters: { nme: 'x' } },
    });
    expect(ignoredArguments).toEqual(['nme', 'stge']);
    const items = [{ op: 'create', name: 'Odd', colour: 'red', age: 3 }];
    expect((await tool.value('records_batch', { resource: 'contacts', items })).ignoredArguments).toEqual([
      'items[0].colour',
      'items[0].age',
    ]);
  });
});
