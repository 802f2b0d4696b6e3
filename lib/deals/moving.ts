import { activeDealStages } from '#lib/core/choices.ts';
import { enterColumn } from '#lib/deals/store.ts';
import { columnText, Deals } from '#lib/entities/deal.ts';
import { boardIdOf, Pipelines, type StoredPipeline } from '#lib/entities/pipeline.ts';
import type { Contains, Where } from '#lib/table/entity.ts';
import { stepThrough } from '#lib/table/list.ts';
import type { SagaKind } from '#lib/table/saga.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { type Place, placeOfStage, readBoards, saveBoard } from './boards.ts';

const dealsPerStep = 50;

interface Found {
  where: Where<typeof Deals>;
  contains?: Contains<typeof Deals>;
}

/**
 * Moves deals while the unit of work has room, and returns whether some may be left. None that is moved is found again, and none is
 * added: the doors are closed. So it always begins at the newest.
 */
async function moveOut(tx: UnitOfWork, found: Found, to: Place): Promise<boolean> {
  const left = await stepThrough(tx, Deals, { ...found, limit: dealsPerStep, after: null, requiresAll: true }, (deal) =>
    enterColumn(tx, deal, to),
  );
  return left !== undefined;
}

const boardIn = (boards: readonly StoredPipeline[], id: number) => boards.find((board) => board.id === id);

/** Moves the open deals of a board that is archived to the columns of the same stages in another one. */
export const boardMoving: SagaKind<{ pipelineId: number }, 'board'> = {
  name: 'board',
  async step(tx, state) {
    const boards = await readBoards(tx);
    const board = boardIn(boards, state.pipelineId);
    if (board?.movingTo === undefined) return undefined;
    // Once it is restored, or moves elsewhere, this is over, or goes on with what holds then.
    tx.requireUnchanged(Pipelines, board);
    for (const stage of activeDealStages) {
      const where = { pipeline: board.id, stage };
      if (await moveOut(tx, { where }, placeOfStage(boards, board.movingTo, stage))) return state;
    }
    const { movingTo, ...moved } = board;
    tx.update(Pipelines, moved);
    return undefined;
  },
};

/** Moves the deals of a column that is removed to the column that takes them, and then removes it. */
export const columnMoving: SagaKind<{ columnId: number }, 'column'> = {
  name: 'column',
  async step(tx, state) {
    const { columnId } = state;
    const boards = await readBoards(tx);
    const board = boardIn(boards, boardIdOf(columnId));
    const column = board?.columns.find(({ id }) => id === columnId);
    if (board === undefined || column?.movingTo === undefined) return undefined;
    tx.requireUnchanged(Pipelines, board);
    const to = takerOf(board, column.movingTo) ?? placeOfStage(boards, board.movingTo ?? board.id, column.stage);
    const found = { where: { stage: column.stage }, contains: { stage: columnText(columnId) } };
    if (await moveOut(tx, found, to)) return state;
    saveBoard(tx, { ...board, columns: board.columns.filter(({ id }) => id !== columnId) });
    return undefined;
  },
};

/** Returns the column that takes the deals of another one of its board, unless the board was archived meanwhile. */
function takerOf(board: StoredPipeline, columnId: number): Place | undefined {
  const column = board.columns.find(({ id }) => id === columnId);
  return column === undefined || board.isArchived ? undefined : { board, column };
}
