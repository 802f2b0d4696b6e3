import { beforeAll, expect, test } from 'vitest';
import { operator } from '#lib/core/tenant.ts';
import { Pipelines, type StoredPipeline } from '#lib/entities/pipeline.ts';
import { transact } from '#lib/table/transact.ts';
import { between } from '#test/between.ts';
import { everyItem } from '#test/client.ts';
import { eventsAbout } from '#test/feed.ts';
import { settle } from '#test/harness.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';
import { columnsOf, countsOf, defaultBoard, newBoard, newDeal } from './boards.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const path = (id: number, columnId?: number) =>
  `/v1/pipelines/${id}/columns${columnId === undefined ? '' : `/${columnId}`}`;
const keys = async (id: number) => (await columnsOf(workspace, id)).columns.map(({ key }) => key);

test.each([
  ['behind the last active one', {}, ['in_lead', 'in_proposal', 'demo', 'won', 'lost']],
  ['at its position', { position: 1 }, ['demo', 'in_lead', 'in_proposal', 'won', 'lost']],
  ['last of all', { position: 30 }, ['in_lead', 'in_proposal', 'won', 'lost', 'demo']],
])('a new column is %s', async (_, given, expected) => {
  const { id } = await newBoard(workspace);
  const { body } = await workspace.live.post(path(id), { name: 'Demo', stage: 'negotiation', ...given }, 201);
  expect(body).toMatchObject({ key: 'demo', stage: 'negotiation', defaultProbability: 70, count: 0, totals: [] });
  expect(await keys(id)).toEqual(expected);
  expect((await eventsAbout(workspace.id, `pipeline/${id}`, 2)).map(({ event }) => event)).toEqual([
    'pipeline.created',
    'pipeline.updated',
  ]);
});

test('a new column has the probability and the color that it is given', async () => {
  const { id } = await newBoard(workspace);
  const given = { name: 'Demo', stage: 'negotiation', probability: 65, color: '#1f6feb' };
  const { body } = await workspace.live.post(path(id), given, 201);
  expect(body).toMatchObject({ defaultProbability: 65, color: '#1f6feb' });
  expect((await columnsOf(workspace, id)).columns).toContainEqual(expect.objectContaining({ key: 'demo', ...body }));
});

test('a column has a key that no other column of the default board has', async () => {
  const { id } = await defaultBoard(workspace);
  const made = async (name: string) => (await workspace.live.post(path(id), { name, stage: 'lead' }, 201)).body.key;
  expect([await made('Lead'), await made('Ünter Prüfung'), await made('検討')]).toEqual([
    'lead_2',
    'unter_prufung',
    'column',
  ]);
});

test.each([
  ['a won column', { name: 'Won', stage: 'won' }, 'stage', 'not_allowed'],
  ['a lost column', { name: 'Lost', stage: 'lost' }, 'stage', 'not_allowed'],
  ['a probability of 101', { name: 'x', stage: 'lead', probability: 101 }, 'probability', 'out_of_range'],
  ['a color in words', { name: 'x', stage: 'lead', color: 'red' }, 'color', 'invalid_format'],
])('a board refuses %s', async (_, wrong, field, code) => {
  const { id } = await newBoard(workspace);
  expect((await workspace.live.post(path(id), wrong, 400)).body.details.fields).toMatchObject([{ field, code }]);
});

test('a 31st column is refused', async () => {
  const { id } = await newBoard(workspace, Array(28).fill('lead'));
  const { body } = await workspace.live.post(path(id), { name: 'x', stage: 'lead' }, 409);
  expect(body.details).toMatchObject({ ...because('limit_reached'), limit: 30 });
});

test('a board that has had 9,999 columns takes no other', async () => {
  const { id } = await newBoard(workspace);
  const tenant = { workspaceId: workspace.id, env: 'live' } as const;
  await transact(tenant, operator, async (tx) => {
    const board = (await tx.find(Pipelines, { id })) as StoredPipeline;
    tx.update(Pipelines, { ...board, lastColumn: 9998 });
  });
  const { body } = await workspace.live.post(path(id), { name: 'Newest', stage: 'lead' }, 201);
  expect(body.id).toBe(id * 10_000 + 9999);
  const refused = await workspace.live.post(path(id), { name: 'x', stage: 'lead' }, 409);
  expect(refused.body.details).toMatchObject({ ...because('limit_reached'), limit: 9999 });
});

test('a column changes its name, color, probability, and place, and keeps its key', async () => {
  const { id, ids } = await newBoard(workspace);
  const change = { name: 'Call', color: '#000000', probability: 5, position: 2 };
  const { body } = await workspace.live.patch(path(id, ids['in_lead']), change, 200);
  expect(body).toMatchObject({ key: 'in_lead', name: 'Call', color: '#000000', defaultProbability: 5, position: 2 });
  expect(await keys(id)).toEqual(['in_proposal', 'in_lead', 'won', 'lost']);
  expect(await newDeal(workspace, { columnId: ids['in_lead'] })).toMatchObject({ probability: 5 });
  await workspace.live.patch(path(id, ids['in_lead']), { stage: 'proposal' }, 400);
  await workspace.live.patch(path(id, 1), { name: 'x' }, 404);
});

test('If-Match is not looked at on columns', async () => {
  const { id } = await newBoard(workspace);
  const stale = { 'if-match': '"stale"' };
  const { body } = await workspace.live.post(path(id), { name: 'Demo', stage: 'lead' }, 201, stale);
  await workspace.live.patch(path(id, body.id), { name: 'Call' }, 200, stale);
  await workspace.live.delete(path(id, body.id), 200, stale);
});

test('a column of the default board takes another name, and keeps its place', async () => {
  const { id, ids } = await defaultBoard(workspace);
  expect((await workspace.live.patch(path(id, ids['won']), { name: 'Signed' }, 200)).body.name).toBe('Signed');
  const { body } = await workspace.live.patch(path(id, ids['won']), { position: 1 }, 400);
  expect(body.details.fields).toMatchObject([{ field: 'position', code: 'not_allowed' }]);
});

test('a column without deals goes, and its id is not given again', async () => {
  const { id, ids } = await newBoard(workspace);
  const gone = ids['in_proposal'];
  expect((await workspace.live.delete(path(id, gone), 200)).body).toEqual({ id: gone, deleted: true });
  await workspace.live.delete(path(id, gone), 404);
  expect(await keys(id)).toEqual(['in_lead', 'won', 'lost']);
  expect((await workspace.live.post(path(id), { name: 'x', stage: 'lead' }, 201)).body.id).not.toBe(gone);
  await workspace.live.post('/v1/deals', { title: 'x', columnId: gone }, 400);
});

test('a column with deals goes when another one takes them', async () => {
  const { id, ids } = await newBoard(workspace, ['lead', 'proposal', 'lead']);
  const deals = [];
  for (let made = 0; made < 25; made += 1) deals.push(await newDeal(workspace, { columnId: ids['in_lead'] }));
  const { body } = await workspace.live.delete(path(id, ids['in_lead']), 409);
  expect(body.details).toMatchObject({ ...because('column_in_use'), count: 25 });
  for (const moveTo of [ids['in_lead'], 1, (await defaultBoard(workspace)).ids['lead']])
    await workspace.live.delete(`${path(id, ids['in_lead'])}?moveTo=${moveTo}`, 400);
  const won = await workspace.live.delete(`${path(id, ids['in_lead'])}?moveTo=${ids['won']}`, 400);
  expect(won.body.details).toMatchObject(because('won_is_panel_only'));
  const lost = await workspace.live.delete(`${path(id, ids['in_lead'])}?moveTo=${ids['lost']}`, 400);
  expect(lost.body.details.fields).toMatchObject([{ field: 'moveTo', code: 'not_allowed' }]);
  await workspace.live.delete(`${path(id, ids['in_lead'])}?moveTo=${ids['in_proposal']}`, 200);
  expect(await countsOf(workspace, id)).toEqual({ in_proposal: 25 });
  expect(await keys(id)).toEqual(['in_proposal', 'in_lead_2', 'won', 'lost']);
  expect((await workspace.live.get(`/v1/deals/${deals[0].id}`)).body).toMatchObject({
    stage: 'Proposal',
    probability: 50,
  });
  const events = await eventsAbout(workspace.id, `deal/${deals[0].id}`, 3);
  expect(events.map(({ event }) => event)).toEqual(['deal.created', 'deal.column_changed', 'deal.stage_changed']);
});

test.each(['won', 'lost', 'in_lead'])('the column %s of a board with one active column stays', async (key) => {
  const { id, ids } = await newBoard(workspace, ['lead']);
  expect((await workspace.live.delete(path(id, ids[key]), 409)).body.details).toMatchObject(because('column_required'));
});

test('a column that goes is shown until the last of its many deals has moved in the background', async () => {
  const { id, ids } = await newBoard(workspace, ['lead', 'proposal', 'lead']);
  for (const count of [100, 30]) {
    const items = Array.from({ length: count }, () => ({ op: 'create', title: 'Sale', columnId: ids['in_lead'] }));
    await workspace.live.post('/v1/deals/batch', { items }, 200);
  }
  const seen: { shown: string[]; columnsOfDeals: string[] }[] = [];
  let isReading = false;
  await between(
    async ({ operation }, next) => {
      const answer = await next();
      if (operation !== 'TransactWriteItems' || isReading) return answer;
      isReading = true;
      const shown = await keys(id);
      const deals = await everyItem(workspace.live, '/v1/deals', { pipelineId: id, include: 'pipeline', limit: 100 });
      seen.push({ shown, columnsOfDeals: [...new Set(deals.map(({ pipeline }) => pipeline.columnKey))] });
      isReading = false;
      return answer;
    },
    async () => {
      await workspace.live.delete(`${path(id, ids['in_lead'])}?moveTo=${ids['in_proposal']}`, 200);
      await settle();
    },
  );
  expect(seen.some(({ columnsOfDeals }) => columnsOfDeals.length > 1)).toBe(true);
  for (const { shown, columnsOfDeals } of seen) expect(shown).toEqual(expect.arrayContaining(columnsOfDeals));
  expect(await keys(id)).toEqual(['in_proposal', 'in_lead_2', 'won', 'lost']);
  expect((await columnsOf(workspace, id)).columns[0]).toMatchObject({ key: 'in_proposal', count: 130 });
  expect(await everyItem(workspace.live, '/v1/deals', { columnId: Number(ids['in_proposal']) })).toHaveLength(130);
});

test('the six columns that a workspace begins with stay, and others of the default board go', async () => {
  const other = await newWorkspace();
  const { id, columns } = await defaultBoard(other);
  for (const column of columns) await other.live.delete(path(id, column.id), 409);
  const { body } = await other.live.post(path(id), { name: 'Demo', stage: 'lead' }, 201);
  await other.live.delete(path(id, body.id), 200);
});
