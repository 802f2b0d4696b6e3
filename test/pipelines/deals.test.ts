import { beforeAll, expect, test } from 'vitest';
import { eventsAbout } from '#test/feed.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';
import { countsOf, defaultBoard, newBoard, newDeal } from './boards.ts';

type Board = Awaited<ReturnType<typeof newBoard>>;
let workspace: TestWorkspace;
let home: Board;
let partners: Board;
beforeAll(async () => {
  workspace = await newWorkspace();
  home = await defaultBoard(workspace);
  partners = await newBoard(workspace, ['qualified', 'proposal', 'proposal']);
});

const move = (id: number, columnId: number | undefined, body: object = {}, status = 200) =>
  workspace.live.post(`/v1/deals/${id}/column?include=pipeline`, { columnId, ...body }, status);
const stage = (id: number, body: object, status = 200) =>
  workspace.live.post(`/v1/deals/${id}/stage?include=pipeline`, body, status);
const instant = expect.stringMatching(/Z$/);

test('a deal shows its board and column with include=pipeline alone', async () => {
  const deal = await newDeal(workspace, { columnId: partners.ids['in_proposal_2'] });
  expect(deal).toMatchObject({ stage: 'Proposal', probability: 50 });
  expect(deal.pipeline).toEqual({
    id: partners.id,
    name: 'Partners',
    columnId: partners.ids['in_proposal_2'],
    columnKey: 'in_proposal_2',
    columnName: 'In proposal',
    lostReason: null,
    columnSince: instant,
  });
  const { items } = (await workspace.live.get('/v1/deals', { include: 'pipeline', ids: deal.id })).body;
  expect(items[0].pipeline).toEqual(deal.pipeline);
  expect((await workspace.live.get(`/v1/deals/${deal.id}`)).body).not.toHaveProperty('pipeline');
});

test.each([
  ['the first column of the default board', () => ({}), () => home.ids['lead']],
  ['the first column of a stage', () => ({ stage: 'proposal' }), () => home.ids['proposal']],
  [
    'the first column of a stage in a board',
    () => ({ stage: 'proposal', pipelineId: partners.id }),
    () => partners.ids['in_proposal'],
  ],
  [
    'the first active column of a board without leads',
    () => ({ pipelineId: partners.id }),
    () => partners.ids['in_qualified'],
  ],
  [
    'a column',
    () => ({ columnId: partners.ids['in_proposal_2'], pipelineId: partners.id }),
    () => partners.ids['in_proposal_2'],
  ],
])('a deal opens in %s', async (_, given, columnId) => {
  expect((await newDeal(workspace, given())).pipeline.columnId).toBe(columnId());
});

test('a deal opens with the probability that it is given', async () => {
  expect(await newDeal(workspace, { columnId: partners.ids['in_proposal'], probability: 3 })).toMatchObject({
    probability: 3,
  });
});

test.each([
  ['a board that there is not', () => ({ pipelineId: 99 }), 'pipelineId', 'unknown_reference'],
  ['the board of contacts', () => ({ pipelineId: 2 }), 'pipelineId', 'unknown_reference'],
  ['a column that there is not', () => ({ columnId: 99 }), 'columnId', 'unknown_reference'],
  [
    'a column of another board',
    () => ({ columnId: home.ids['lead'], pipelineId: partners.id }),
    'columnId',
    'unknown_reference',
  ],
  ['a lost column', () => ({ columnId: partners.ids['lost'] }), 'columnId', 'not_allowed'],
  [
    'another stage than that of its column',
    () => ({ columnId: partners.ids['in_proposal'], stage: 'lead' }),
    'stage',
    'not_allowed',
  ],
  [
    'a stage that its board does not have',
    () => ({ pipelineId: partners.id, stage: 'lead' }),
    'stage',
    'unknown_reference',
  ],
])('a deal is refused with %s', async (_, given, field, code) => {
  const { body } = await workspace.live.post('/v1/deals', { title: 'x', ...given() }, 400);
  expect(body.details.fields).toMatchObject([{ field, code }]);
});

test('a deal is not opened in a won column, nor moved to one', async () => {
  const columnId = partners.ids['won'];
  const { body } = await workspace.live.post('/v1/deals', { title: 'x', columnId }, 400);
  expect(body.details).toMatchObject(because('won_is_panel_only'));
  const deal = await newDeal(workspace);
  expect((await move(deal.id, columnId, {}, 400)).body.details).toMatchObject(because('won_is_panel_only'));
});

test('a deal moves through columns and boards, and each move is an event', async () => {
  const deal = await newDeal(workspace, { columnId: partners.ids['in_proposal'] });
  const [from, to] = [partners.ids['in_proposal'], partners.ids['in_proposal_2']];
  const moved = (await move(deal.id, to)).body;
  expect(moved).toMatchObject({ stage: 'Proposal', pipeline: { columnId: to } });
  expect((await move(deal.id, to)).body).toEqual(moved);
  const back = (await move(deal.id, home.ids['negotiation'])).body;
  expect(back).toMatchObject({ stage: 'Negotiation', probability: 70, pipeline: { id: home.id } });
  const events = await eventsAbout(workspace.id, `deal/${deal.id}`, 4);
  expect(events.slice(1)).toMatchObject([
    {
      event: 'deal.column_changed',
      data: { pipeline_id: String(partners.id), from_column_id: String(from), to_column_id: String(to) },
    },
    {
      event: 'deal.column_changed',
      data: { pipeline_id: String(home.id), from_column_id: String(to), to_column_id: String(home.ids['negotiation']) },
    },
    {
      event: 'deal.stage_changed',
      data: { from_stage: 'proposal', to_stage: 'negotiation', pipeline_id: String(home.id) },
    },
  ]);
});

test('a deal moves to the first column of a stage in its board, and to the default board for another stage', async () => {
  const deal = await newDeal(workspace, { pipelineId: partners.id });
  expect((await stage(deal.id, { stage: 'proposal' })).body.pipeline.columnId).toBe(partners.ids['in_proposal']);
  expect((await stage(deal.id, { stage: 'negotiation' })).body.pipeline.columnId).toBe(home.ids['negotiation']);
});

test('a deal is lost for a reason, which goes when it opens again', async () => {
  const deal = await newDeal(workspace, { pipelineId: partners.id });
  const lost = (await move(deal.id, partners.ids['lost'], { lostReason: 'Price' })).body;
  expect(lost).toMatchObject({ stage: 'Lost', closedAt: instant, pipeline: { lostReason: 'Price' } });
  const events = await eventsAbout(workspace.id, `deal/${deal.id}`, 3);
  expect(events.at(-1)?.data).toMatchObject({ to_stage: 'lost', lost_reason: 'Price' });
  const moved = (await move(deal.id, home.ids['lost'])).body;
  expect(moved).toMatchObject({ closedAt: lost.closedAt, pipeline: { lostReason: 'Price', id: home.id } });
  expect((await stage(deal.id, { stage: 'lead' })).body).toMatchObject({
    closedAt: null,
    pipeline: { lostReason: null },
  });
  expect((await stage(deal.id, { stage: 'lost', lostReason: 'Time' })).body.pipeline.lostReason).toBe('Time');
});

test('a reason for a loss is refused with another stage, and above 500 characters', async () => {
  const deal = await newDeal(workspace);
  const field = 'lostReason';
  const refused = await stage(deal.id, { stage: 'proposal', lostReason: 'x' }, 400);
  expect(refused.body.details.fields).toMatchObject([{ field, code: 'not_allowed' }]);
  const other = await move(deal.id, home.ids['proposal'], { lostReason: 'x' }, 400);
  expect(other.body.details.fields).toMatchObject([{ field, code: 'not_allowed' }]);
  const long = await stage(deal.id, { stage: 'lost', lostReason: 'x'.repeat(501) }, 400);
  expect(long.body.details.fields).toMatchObject([{ field, code: 'too_long' }]);
});

test('PATCH names the operation that moves a deal', async () => {
  const deal = await newDeal(workspace);
  for (const field of ['pipelineId', 'columnId', 'lostReason']) {
    const { body } = await workspace.live.patch(`/v1/deals/${deal.id}`, { [field]: 1 }, 400);
    expect(body.message).toContain('/column');
  }
});

test('boards, lists, and the dashboard count and sum the deals of a board', async () => {
  const other = await newWorkspace();
  const board = await newBoard(other, ['lead']);
  const deals = [];
  for (const value of [10, 20, 30]) deals.push(await newDeal(other, { pipelineId: board.id, value }));
  await newDeal(other, { value: 5 });
  await other.live.post(`/v1/deals/${deals[1].id}/stage`, { stage: 'lost' }, 200);
  expect(await countsOf(other, board.id)).toEqual({ in_lead: 2, lost: 1 });
  expect(await countsOf(other, (await defaultBoard(other)).id)).toEqual({ lead: 1 });
  const { columns } = (await other.live.get(`/v1/pipelines/${board.id}`)).body;
  expect(columns[0].totals).toEqual([{ currency: 'EUR', total: 40 }]);
  const figures = async (query: Record<string, number>) =>
    (await other.live.get('/v1/analytics/dashboard', query)).body.deals;
  expect(await figures({ pipelineId: board.id })).toMatchObject({
    open: 2,
    lost: 1,
    openValue: [{ currency: 'EUR', total: 40 }],
  });
  expect(await figures({})).toMatchObject({ open: 3, lost: 1, openValue: [{ currency: 'EUR', total: 45 }] });
  expect(await figures({ pipelineId: 99 })).toMatchObject({ open: 0, lost: 0, openValue: [] });
});
