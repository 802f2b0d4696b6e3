import { beforeAll, expect, test } from 'vitest';
import { eventsAbout } from '#test/feed.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';
import { countsOf, defaultBoard, newBoard, newDeal } from './boards.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const stages = ['lead', 'qualified', 'proposal', 'negotiation'];
const archive = (id: number, body: object = {}, status = 200) =>
  workspace.live.post(`/v1/pipelines/${id}/archive`, body, status);

test('a new board has its columns, and a won and a lost one behind them', async () => {
  const columns = [
    { name: 'First Call', stage: 'Lead' },
    { name: 'First call!', stage: 'proposal', probability: 55, color: '#ABCDEF' },
  ];
  const { body } = await workspace.live.post('/v1/pipelines', { name: 'Partners', columns }, 201);
  expect(body).toMatchObject({ name: 'Partners', kind: 'deal', isDefault: false, isArchived: false, columnCount: 4 });
  const empty = { count: 0, totals: [] };
  expect(body.columns).toMatchObject([
    { key: 'first_call', name: 'First Call', stage: 'lead', position: 1, defaultProbability: 10, ...empty },
    { key: 'first_call_2', stage: 'proposal', position: 2, defaultProbability: 55, color: '#abcdef', ...empty },
    { key: 'won', name: 'Won', stage: 'won', isTerminal: true, isApiSettable: false, defaultProbability: 100 },
    { key: 'lost', name: 'Lost', stage: 'lost', isTerminal: true, isApiSettable: true, defaultProbability: 0 },
  ]);
  expect((await workspace.live.get(`/v1/pipelines/${body.id}`)).body).toEqual(body);
  expect(await eventsAbout(workspace.id, `pipeline/${body.id}`, 1)).toMatchObject([
    { event: 'pipeline.created', data: { pipeline_id: String(body.id), name: 'Partners', is_archived: false } },
  ]);
});

const lead = { name: 'A', stage: 'lead' };
test.each([
  ['no name', { name: ' ', columns: [lead] }, 'name', 'required'],
  ['a name of 81 characters', { name: 'a'.repeat(81), columns: [lead] }, 'name', 'too_long'],
  ['no active column', { columns: [{ name: 'Won', stage: 'won' }] }, 'columns', 'required'],
  ['a stage that there is not', { columns: [{ name: 'A', stage: 'new' }] }, 'columns[0].stage', 'invalid_enum'],
  ['a column name of 41 characters', { columns: [{ ...lead, name: 'a'.repeat(41) }] }, 'columns[0].name', 'too_long'],
  [
    'two lost columns',
    { columns: [lead, ...Array(2).fill({ name: 'Lost', stage: 'lost' })] },
    'columns[2].stage',
    'not_allowed',
  ],
  ['31 columns', { columns: Array(31).fill(lead) }, 'columns', 'too_many'],
])('a board is refused with %s', async (_, wrong, field, code) => {
  const { body } = await workspace.live.post('/v1/pipelines', { name: 'Wrong', ...wrong }, 400);
  expect(body.details.fields).toMatchObject([{ field, code }]);
});

test('a board is refused when won and lost make more than 30 columns of it', async () => {
  const { body } = await workspace.live.post('/v1/pipelines', { name: 'Long', columns: Array(29).fill(lead) }, 409);
  expect(body.details).toMatchObject({ ...because('limit_reached'), limit: 30 });
});

test('a 21st board is refused, and a restore that would make one', async () => {
  const other = await newWorkspace();
  const boards = [];
  for (let made = 1; made < 20; made += 1) boards.push(await newBoard(other, ['lead']));
  const columns = [lead];
  const refused = await other.live.post('/v1/pipelines', { name: 'One more', columns }, 409);
  expect(refused.body.details).toMatchObject({ ...because('limit_reached'), limit: 20 });
  await other.live.post(`/v1/pipelines/${boards[0]?.id}/archive`, {}, 200);
  await other.live.post('/v1/pipelines', { name: 'One more', columns }, 201);
  await other.live.post(`/v1/pipelines/${boards[0]?.id}/restore`, {}, 409);
});

test('a board is renamed, and only a change is an event', async () => {
  const { id } = await newBoard(workspace);
  for (const name of ['Resellers', 'Resellers'])
    expect((await workspace.live.patch(`/v1/pipelines/${id}`, { name }, 200)).body.name).toBe('Resellers');
  await archive(id);
  expect(await eventsAbout(workspace.id, `pipeline/${id}`, 3)).toMatchObject([
    { event: 'pipeline.created', data: { name: 'Partners' } },
    { event: 'pipeline.updated', data: { name: 'Resellers', is_archived: false } },
    { event: 'pipeline.updated', data: { name: 'Resellers', is_archived: true } },
  ]);
});

test('a board with every stage becomes the default one, and takes new deals', async () => {
  const other = await newWorkspace();
  const before = await defaultBoard(other);
  const { id } = await newBoard(other, stages);
  await other.live.patch(`/v1/pipelines/${id}`, { isDefault: true }, 200);
  expect((await other.live.get(`/v1/pipelines/${before.id}`)).body.isDefault).toBe(false);
  expect((await newDeal(other)).pipeline).toMatchObject({ id, columnKey: 'in_lead' });
  expect((await other.live.post(`/v1/pipelines/${before.id}/archive`, {}, 200)).body.isArchived).toBe(true);
  const refused = await other.live.delete(
    `/v1/pipelines/${id}/columns/${(await defaultBoard(other)).ids['in_lead']}`,
    409,
  );
  expect(refused.body.details).toMatchObject(because('column_required'));
});

test('a board without a stage does not become the default one', async () => {
  const { id } = await newBoard(workspace, ['lead', 'proposal']);
  const { body } = await workspace.live.patch(`/v1/pipelines/${id}`, { isDefault: true }, 409);
  expect(body.details).toMatchObject({ ...because('stages_missing'), stages: ['qualified', 'negotiation'] });
});

test('If-Match of a board holds when a deal moves, and fails when the board is renamed', async () => {
  const { id, ids } = await newBoard(workspace);
  const tagOf = async () => String((await workspace.live.get(`/v1/pipelines/${id}`)).headers['etag']);
  const rename = async (name: string, tag: string) =>
    (await workspace.live.call('PATCH', `/v1/pipelines/${id}`, { body: { name }, headers: { 'If-Match': tag } }))
      .status;
  const tag = await tagOf();
  await newDeal(workspace, { columnId: ids['in_lead'] });
  expect(await tagOf()).not.toBe(tag);
  expect([await rename('Resellers', tag), await rename('Agents', tag)]).toEqual([200, 412]);
});

test('isDefault false, and a change of the board of contacts, are 400', async () => {
  const { id } = await newBoard(workspace);
  await workspace.live.patch(`/v1/pipelines/${id}`, { isDefault: false }, 400);
  const { items } = (await workspace.live.get('/v1/pipelines', { kind: 'contact' })).body;
  await workspace.live.patch(`/v1/pipelines/${items[0].id}`, { name: 'People' }, 400);
  await archive(items[0].id, {}, 400);
});

test('the default board is not archived', async () => {
  const { id } = await defaultBoard(workspace);
  expect((await archive(id, {}, 409)).body.details).toMatchObject(because('default_pipeline'));
});

test('a board with open deals is archived only when another one takes them', async () => {
  const other = await newWorkspace();
  const [from, to] = [await newBoard(other, stages), await newBoard(other, ['proposal', 'lead'])];
  const home = await defaultBoard(other);
  const made = [];
  for (const stage of ['lead', 'proposal', 'qualified', 'lead'])
    made.push(await newDeal(other, { pipelineId: from.id, stage }));
  await other.live.post(`/v1/deals/${made[3].id}/stage`, { stage: 'lost', lostReason: 'Too late' }, 200);
  const refused = await other.live.post(`/v1/pipelines/${from.id}/archive`, {}, 409);
  expect(refused.body.details).toMatchObject({ ...because('pipeline_in_use'), open: 3 });
  await other.live.post(`/v1/pipelines/${from.id}/archive`, { moveTo: from.id }, 400);
  const { body } = await other.live.post(`/v1/pipelines/${from.id}/archive`, { moveTo: to.id }, 200);
  expect(body.isArchived).toBe(true);
  expect(await countsOf(other, from.id)).toEqual({ lost: 1 });
  expect(await countsOf(other, to.id)).toEqual({ in_lead: 1, in_proposal: 1 });
  expect(await countsOf(other, home.id)).toEqual({ qualified: 1 });
  const ids = (await other.live.get('/v1/pipelines', { kind: 'deal' })).body.items.map(({ id }: { id: number }) => id);
  expect(ids).toEqual([to.id, home.id]);
  const archived = async (value: string) =>
    (await other.live.get('/v1/pipelines', { kind: 'deal', archived: value })).body.items.length;
  expect([await archived('true'), await archived('all'), await archived('false')]).toEqual([1, 3, 2]);
  const kept = (await other.live.get(`/v1/deals/${made[3].id}`, { include: 'pipeline' })).body.pipeline;
  expect(kept).toMatchObject({ id: from.id, name: 'Partners', columnKey: 'lost', lostReason: 'Too late' });
  expect(await eventsAbout(other.id, `deal/${made[0].id}`, 2)).toMatchObject([
    { event: 'deal.created' },
    { event: 'deal.column_changed', data: { pipeline_id: String(to.id), to_column_id: String(to.ids['in_lead']) } },
  ]);
});

test('an archived board takes no deals until it is restored', async () => {
  const { id, ids } = await newBoard(workspace);
  await archive(id);
  expect((await archive(id)).body.isArchived).toBe(true);
  await workspace.live.post('/v1/deals', { title: 'x', columnId: ids['in_lead'] }, 400);
  await workspace.live.post('/v1/deals', { title: 'x', pipelineId: id }, 400);
  for (let again = 0; again < 2; again += 1)
    expect((await workspace.live.post(`/v1/pipelines/${id}/restore`, {}, 200)).body.isArchived).toBe(false);
  expect((await newDeal(workspace, { columnId: ids['in_lead'] })).pipeline.id).toBe(id);
});

test('boards are changed with pipelines:write alone', async () => {
  const { client } = await workspace.mint({ scopes: ['pipelines:read', 'deals:write'] });
  await client.post('/v1/pipelines', { name: 'x', columns: [lead] }, 403);
});
