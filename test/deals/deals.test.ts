import { beforeAll, expect, test } from 'vitest';
import { eventsAbout } from '#test/feed.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let contactId: number;
beforeAll(async () => {
  workspace = await newWorkspace('EUR');
  contactId = (await workspace.live.post('/v1/contacts', { name: 'Ada' })).body.id;
});

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
const create = async (fields: object = {}) =>
  (await workspace.live.post('/v1/deals', { title: 'Deal', ...fields })).body;

test('a title is enough for a deal: stage, probability, currency and the rest have defaults', async () => {
  const { status, body, headers } = await workspace.live.post('/v1/deals', { title: '  Big one ' });
  expect(status).toBe(201);
  expect(headers['location']).toBe(`/v1/deals/${body.id}`);
  expect(body).toEqual({
    id: expect.any(Number),
    title: 'Big one',
    contactId: null,
    contactName: null,
    value: 0,
    currency: 'EUR',
    stage: 'Lead',
    probability: 10,
    expectedCloseAt: null,
    closedAt: null,
    notes: null,
    openTaskCount: 0,
    createdAt: instant,
    updatedAt: null,
    tasks: [],
  });
});

test('a deal shows what it was given, normalized', async () => {
  const body = await create({
    contactId,
    value: 1234567.89,
    currency: 'usd',
    stage: 'Proposal',
    probability: 0,
    expectedCloseAt: '2031-05-01T12:00:00+02:00',
    notes: ' soon ',
  });
  expect(body).toMatchObject({
    contactId,
    contactName: 'Ada',
    value: 1234567.89,
    currency: 'USD',
    stage: 'Proposal',
    probability: 0,
    expectedCloseAt: '2031-05-01T10:00:00Z',
    notes: 'soon',
  });
  expect((await workspace.live.get(`/v1/deals/${body.id}`)).body).toEqual(body);
  const { tasks, ...listed } = body;
  expect((await workspace.live.get('/v1/deals', { ids: body.id })).body).toEqual({
    items: [listed],
    nextCursor: null,
    hasMore: false,
  });
});

test.each([
  ['title', {}, 'required'],
  ['title', { title: ' ' }, 'required'],
  ['title', { title: 'x'.repeat(201) }, 'too_long'],
  ['value', { title: 'x', value: -0.01 }, 'out_of_range'],
  ['value', { title: 'x', value: 1e12 + 1 }, 'out_of_range'],
  ['value', { title: 'x', value: 0.001 }, 'invalid_format'],
  ['value', { title: 'x', value: 9_000_000.123 }, 'invalid_format'],
  ['currency', { title: 'x', currency: 'EURO' }, 'invalid_format'],
  ['stage', { title: 'x', stage: 'lost' }, 'invalid_enum'],
  ['probability', { title: 'x', probability: 101 }, 'out_of_range'],
  ['contactId', { title: 'x', contactId: 999_999 }, 'unknown_reference'],
  ['notes', { title: 'x', notes: 'x'.repeat(10_001) }, 'too_long'],
])('a bad %s is named with its code (case %#)', async (field, body, code) => {
  const answer = await workspace.live.post('/v1/deals', body);
  expect(answer.status).toBe(400);
  expect(answer.body).toEqual({
    error: 'bad_request',
    message: expect.any(String),
    details: { fields: [{ field, code, message: expect.any(String) }] },
  });
});

test('a deal that is to open as won is refused with the reason of a move to won', async () => {
  for (const stage of ['won', ' WON ']) {
    const { status, body } = await workspace.live.post('/v1/deals', { title: 'x', stage });
    expect([status, body.error, body.details]).toEqual([400, 'bad_request', because('won_is_panel_only')]);
  }
  const items = [
    { op: 'create', title: 'x', stage: 'won' },
    { op: 'create', title: 'x', stage: 'lost' },
  ];
  const { results } = (await workspace.live.post('/v1/deals/batch', { items })).body;
  expect([results[0].error.details, results[1].error.details.fields[0].code]).toEqual([
    because('won_is_panel_only'),
    'invalid_enum',
  ]);
});

test('a patch changes the given fields, clears with null and keeps the others', async () => {
  const deal = await create({ contactId, notes: 'old', value: 5, expectedCloseAt: '2031-05-01T12:00:00Z' });
  const { status, body } = await workspace.live.patch(`/v1/deals/${deal.id}`, {
    title: 'New',
    contactId: null,
    notes: '',
    value: 7.5,
  });
  expect(status).toBe(200);
  expect(body).toEqual({
    ...deal,
    title: 'New',
    contactId: null,
    contactName: null,
    notes: null,
    value: 7.5,
    updatedAt: instant,
  });
  expect((await workspace.live.get(`/v1/deals/${deal.id}`)).body).toEqual(body);
});

test('an empty patch changes nothing', async () => {
  const deal = await create();
  expect((await workspace.live.patch(`/v1/deals/${deal.id}`, {})).body).toEqual(deal);
  expect((await workspace.live.patch(`/v1/deals/${deal.id}`, { title: deal.title })).body).toEqual(deal);
});

test('a patch of the stage is refused with a pointer to its operation', async () => {
  const { id } = await create();
  const { status, body } = await workspace.live.patch(`/v1/deals/${id}`, { stage: 'lost' });
  expect(status).toBe(400);
  expect(body.details.fields).toEqual([
    {
      field: 'stage',
      code: 'not_allowed',
      message: 'stage cannot be changed here: use POST /v1/deals/{id}/stage',
    },
  ]);
});

test('a stage move sets the probability of the stage, and closes or opens the deal', async () => {
  const deal = await create({ probability: 42 });
  const move = async (stage: string) => (await workspace.live.post(`/v1/deals/${deal.id}/stage`, { stage })).body;
  expect(await move('Lead')).toEqual(deal);
  expect(await move('negotiation')).toEqual({ ...deal, stage: 'Negotiation', probability: 70, updatedAt: instant });
  expect(await move('lost')).toMatchObject({ stage: 'Lost', probability: 0, closedAt: instant });
  expect(await move('qualified')).toMatchObject({ stage: 'Qualified', probability: 30, closedAt: null });
});

test('each move to another stage emits deal.stage_changed, and one to the same stage does not', async () => {
  const deal = await create({ value: 5 });
  for (const stage of ['proposal', 'proposal', 'lost', 'lead'])
    await workspace.live.post(`/v1/deals/${deal.id}/stage`, { stage }, 200);
  const events = (await eventsAbout(workspace.id, `deal/${deal.id}`, 7)).slice(1);
  const moves = events.filter(({ event }) => event === 'deal.stage_changed');
  expect(events.filter(({ event }) => event === 'deal.column_changed')).toHaveLength(3);
  const moved = (from: string, to: string, closedAt: unknown = null) => ({
    event: 'deal.stage_changed',
    data: {
      ...{ deal_id: String(deal.id), contact_id: null, from_stage: from, to_stage: to, value: 5, currency: 'EUR' },
      ...{
        closed_at: closedAt,
        actor: { type: 'api_key', id: expect.any(String) },
        lost_reason: null,
        pipeline_id: '1',
      },
    },
  });
  expect(moves).toEqual([moved('lead', 'proposal'), moved('proposal', 'lost', instant), moved('lost', 'lead')]);
});

test('a deal cannot be moved to won through the API', async () => {
  const deal = await create();
  const { status, body } = await workspace.live.post(`/v1/deals/${deal.id}/stage`, { stage: 'won' });
  expect(status).toBe(400);
  expect(body.details).toEqual(because('won_is_panel_only'));
  expect((await workspace.live.get(`/v1/deals/${deal.id}`)).body).toEqual(deal);
});

test('If-Match is honoured by patch and stage move, and their ETag is that of the next read', async () => {
  const { id } = await create();
  const tag = (await workspace.live.get(`/v1/deals/${id}`)).headers['etag'] as string;
  const moved = await workspace.live.post(`/v1/deals/${id}/stage`, { stage: 'lost' }, { 'if-match': tag });
  expect(moved.status).toBe(200);
  expect((await workspace.live.get(`/v1/deals/${id}`)).headers['etag']).toBe(moved.headers['etag']);
  const stale = await workspace.live.patch(`/v1/deals/${id}`, { title: 'x' }, { 'if-match': tag });
  expect([stale.status, stale.body.details]).toEqual([412, because('stale_version')]);
});

test('metadata is replaced as a whole, found by pair, and counts as a change of the deal', async () => {
  const deal = await create();
  const path = `/v1/deals/${deal.id}/metadata`;
  expect((await workspace.live.get(path)).body).toEqual({ metadata: {} });
  expect((await workspace.live.put(path, { metadata: { crm: 'a"b', other: '1' } })).body).toEqual({
    metadata: { crm: 'a"b', other: '1' },
  });
  const found = await workspace.live.get('/v1/deals', { 'metadata.crm': 'a"b' });
  expect(found.body.items.map(({ id }: { id: number }) => id)).toEqual([deal.id]);
  expect((await workspace.live.put(path, { metadata: { crm: 'c' } })).body).toEqual({ metadata: { crm: 'c' } });
  expect((await workspace.live.get('/v1/deals', { 'metadata.crm': 'a"b' })).body.items).toEqual([]);
  expect((await workspace.live.get(`/v1/deals/${deal.id}`)).body).toEqual({ ...deal, updatedAt: instant });
});

test('the environments and other workspaces see nothing of a deal', async () => {
  const { id } = await create();
  const stranger = await newWorkspace();
  for (const client of [workspace.test, stranger.live]) {
    await client.get(`/v1/deals/${id}`, undefined, 404);
    await client.patch(`/v1/deals/${id}`, { title: 'x' }, 404);
    await client.post(`/v1/deals/${id}/stage`, { stage: 'lost' }, 404);
  }
});

test('twenty patches at once all succeed, and the deal is as one of them left it', async () => {
  const { id } = await create();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => workspace.live.patch(`/v1/deals/${id}`, { value: n + 1 })),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  const { body } = await workspace.live.get(`/v1/deals/${id}`);
  expect(answers.map((answer) => answer.body.value)).toContain(body.value);
});

test('a rare deal is found behind hundreds that do not match', async () => {
  const { live } = await newWorkspace();
  const rare = (await live.post('/v1/deals', { title: 'Rare', value: 1000 })).body.id;
  for (let n = 0; n < 6; n += 1) {
    const items = Array.from({ length: 100 }, () => ({ op: 'create', title: 'Common', value: 1 }));
    expect((await live.post('/v1/deals/batch', { items })).body.succeeded).toBe(100);
  }
  for (const query of [
    { minValue: 2 },
    { minValue: 2, stage: 'lead' },
    { minValue: 2, stage: 'lead', currency: 'EUR' },
  ]) {
    const { body } = await live.get('/v1/deals', query);
    expect([body.items.map(({ id }: { id: number }) => id), body.hasMore]).toEqual([[rare], false]);
  }
});
