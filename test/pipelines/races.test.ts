import { expect, test } from 'vitest';
import { operator } from '#lib/core/tenant.ts';
import { archiveBoard, createBoard, deleteColumn, patchBoard } from '#lib/deals/board-changes.ts';
import { createDeal, moveDealToColumn } from '#lib/deals/store.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { lateReads } from '#test/faults/late.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';
import { countsOf, newBoard, newDeal } from './boards.ts';

/** One for each meeting: a workspace has up to 20 boards. */
let workspace: TestWorkspace;

const run = <Result>(work: (tx: UnitOfWork) => Promise<Result>) =>
  transact({ workspaceId: workspace.id, env: 'live' }, operator, work);

interface Meeting {
  id: number;
  a: number;
  b: number;
  c: number;
  other: number;
  deal: number;
}

/** A board with the columns a, b, and c, one deal in a, and another board. */
async function before(): Promise<Meeting> {
  workspace = await newWorkspace();
  const [board, other] = [await newBoard(workspace, ['lead', 'lead', 'proposal']), await newBoard(workspace, ['lead'])];
  const [a, b, c] = board.columns.map(({ id }) => id) as [number, number, number];
  const deal = (await newDeal(workspace, { columnId: a })).id;
  return { id: board.id, a, b, c, other: other.id, deal };
}

type Work = (tx: UnitOfWork, place: Meeting) => Promise<unknown>;
const opens: Work = (tx, { a }) => createDeal(tx, { title: 'Late', value: 1, columnId: a });
const removes: Work = (tx, { id, a, b }) => deleteColumn(tx, id, a, b);
const removesEmpty: Work = (tx, { id, b }) => deleteColumn(tx, id, b, undefined);
const removesTaker: Work = (tx, { id, a, b }) => deleteColumn(tx, id, b, a);
const archives: Work = (tx, { id, other }) => archiveBoard(tx, id, other);
const archivesTaker: Work = (tx, { other }) => archiveBoard(tx, other, undefined);
const entersB: Work = (tx, { b, deal }) => moveDealToColumn(tx, deal, { columnId: b });

/** The columns and boards that are there show every deal in a place that is there, and count it once. */
async function requireWhole({ id, other }: Meeting): Promise<void> {
  const all = (await workspace.live.get('/v1/deals', { include: 'pipeline', limit: 100 })).body.items;
  for (const { stage, pipeline } of all) {
    const board = (await workspace.live.get(`/v1/pipelines/${pipeline.id}`)).body;
    const column = board.columns.find((one: { id: number }) => one.id === pipeline.columnId);
    expect(column).toMatchObject({ stage: stage.toLowerCase() });
    expect(board.isArchived).toBe(false);
  }
  for (const pipelineId of [id, other]) {
    const counts = Object.values(await countsOf(workspace, pipelineId)).reduce(
      (sum: number, one) => sum + Number(one),
      0,
    );
    expect(counts).toBe(all.filter(({ pipeline }: { pipeline: { id: number } }) => pipeline.id === pipelineId).length);
  }
}

test.each([
  ['a deal that opens in a column', 'its removal', opens, removes],
  ['a deal that opens in a column', 'the archive of its board', opens, archives],
  ['a deal that moves to a column', 'its removal without deals', entersB, removesEmpty],
  ['the removal of a column', 'the same removal', removes, removes],
  ['the removal of a column', 'the removal of the one that takes its deals', removes, removesTaker],
  ['the archive of a board', 'the archive of the one that takes its deals', archives, archivesTaker],
])('%s meets %s, and no deal is lost, whichever read is late', async (_, __, work, rival) => {
  const reads = await lateReads({
    before,
    work: (place) => run((tx) => work(tx, place)),
    rival: (place) => run((tx) => rival(tx, place)),
    after: (place) => requireWhole(place),
  });
  expect(reads).toBeGreaterThan(0);
});

test('two boards that become the default one at once leave one of them', async () => {
  const stages = ['lead', 'qualified', 'proposal', 'negotiation'];
  await lateReads({
    before: async () => {
      workspace = await newWorkspace();
      return [(await newBoard(workspace, stages)).id, (await newBoard(workspace, stages)).id] as const;
    },
    work: ([id]) => run((tx) => patchBoard(tx, id, { isDefault: true })),
    rival: ([, id]) => run((tx) => patchBoard(tx, id, { isDefault: true })),
    async after(ids) {
      const { items } = (await workspace.live.get('/v1/pipelines', { kind: 'deal', limit: 100 })).body;
      const defaults = items.filter(({ isDefault }: { isDefault: boolean }) => isDefault);
      expect(defaults).toHaveLength(1);
      expect(ids).toContain(defaults[0].id);
    },
  });
});

test('two boards that are created at once do not exceed the limit', async () => {
  workspace = await newWorkspace();
  for (let made = 2; made < 20; made += 1) await newBoard(workspace, ['lead']);
  const columns = [{ name: 'A', stage: 'lead' as const }];
  const create = () => run((tx) => createBoard(tx, { name: 'Last', columns }));
  const answers = await Promise.allSettled([create(), create(), create()]);
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect((await workspace.live.get('/v1/pipelines', { kind: 'deal', limit: 100 })).body.items).toHaveLength(20);
});
