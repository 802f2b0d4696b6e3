import { activeDealStages } from '#lib/core/choices.ts';
import { badRequest, invalidField, unknownReference } from '#lib/core/problem.ts';
import type { DealStage } from '#lib/entities/deal.ts';
import { boardIdOf, ColumnDoors, Pipelines, type StoredColumn, type StoredPipeline } from '#lib/entities/pipeline.ts';
import { listAll } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** A column and its board. */
export interface Place {
  board: StoredPipeline;
  column: StoredColumn;
}

/** Returns the boards of deals as they are, archived ones included, ascending by id. */
export async function readBoards(tx: UnitOfWork): Promise<StoredPipeline[]> {
  return (await listAll(tx, Pipelines)).filter(({ kind }) => kind === 'deal');
}

/** Returns the columns that deals may enter: none of an archived board. */
export const openColumns = ({ isArchived, columns }: StoredPipeline): StoredColumn[] =>
  isArchived ? [] : columns.filter(({ movingTo }) => movingTo === undefined);

/** Returns the first column of a stage in a board, or else in the default board. */
export function placeOfStage(boards: readonly StoredPipeline[], pipelineId: number, stage: DealStage): Place {
  const inBoard = (board: StoredPipeline | undefined): Place | undefined => {
    const column = board && openColumns(board).find((one) => one.stage === stage);
    return board && column && { board, column };
  };
  const found =
    inBoard(boards.find(({ id }) => id === pipelineId)) ?? inBoard(boards.find(({ isDefault }) => isDefault));
  if (found === undefined) throw new Error(`the default board has no column of the stage ${stage}`);
  return found;
}

/** Returns the column and its board. Raises 400 for one that is not there, or that deals may not enter. */
export function placeOfColumn(boards: readonly StoredPipeline[], columnId: number): Place {
  const board = boards.find(({ id }) => id === boardIdOf(columnId));
  const column = board && openColumns(board).find(({ id }) => id === columnId);
  if (board === undefined || column === undefined) throw unknownReference('columnId');
  return { board, column };
}

/** Where a new deal is meant to be. */
interface Opening {
  stage?: DealStage | undefined;
  pipelineId?: number | undefined;
  columnId?: number | undefined;
}

/** Returns the column in which a deal opens. Raises 400. */
export function openingPlace(boards: readonly StoredPipeline[], { stage, pipelineId, columnId }: Opening): Place {
  if (stage === 'won') throw wonIsPanelOnly();
  if (columnId !== undefined) return openingColumn(placeOfColumn(boards, columnId), stage, pipelineId);
  const board = boards.find(({ id, isDefault }) => (pipelineId === undefined ? isDefault : id === pipelineId));
  const columns = board && openColumns(board).filter(isActive);
  if (board === undefined || columns === undefined || columns.length === 0) throw unknownReference('pipelineId');
  const column =
    columns.find((one) => one.stage === (stage ?? 'lead')) ?? (stage === undefined ? columns[0] : undefined);
  if (column === undefined)
    throw invalidField(
      'stage',
      'unknown_reference',
      `board ${board.id} has no column of the stage ${stage}: use another`,
    );
  return { board, column };
}

function openingColumn(place: Place, stage: DealStage | undefined, pipelineId: number | undefined): Place {
  const { board, column } = place;
  if (pipelineId !== undefined && pipelineId !== board.id)
    throw invalidField(
      'columnId',
      'unknown_reference',
      `column ${column.id} is not in board ${pipelineId}: leave pipelineId out`,
    );
  if (column.stage === 'won') throw wonIsPanelOnly();
  if (!isActive(column))
    throw invalidField('columnId', 'not_allowed', 'a deal opens in an active column: choose one that is not lost');
  if (stage !== undefined && stage !== column.stage)
    throw invalidField('stage', 'not_allowed', `column ${column.id} has the stage ${column.stage}: leave stage out`);
  return place;
}

export const isActive = ({ stage }: { stage: DealStage }) => (activeDealStages as readonly string[]).includes(stage);

/** Lets a deal into a column. The commit meets a conflict if the column closes meanwhile. */
export const enter = (tx: UnitOfWork, { id }: StoredColumn): void => tx.add(ColumnDoors, { id }, { entered: 1 });

export const wonIsPanelOnly = () =>
  badRequest(
    'won_is_panel_only',
    'a deal is won only in the panel, because that books revenue: ask a member to win it there',
  );

/** Writes a board. Emits pipeline.updated. */
export function saveBoard(tx: UnitOfWork, board: StoredPipeline): void {
  tx.update(Pipelines, board);
  emitPipeline(tx, 'pipeline.updated', board);
}

export function emitPipeline(
  tx: UnitOfWork,
  kind: 'pipeline.created' | 'pipeline.updated',
  board: StoredPipeline,
): void {
  tx.emit({
    kind,
    subject: `pipeline/${board.id}`,
    data: {
      pipeline_id: String(board.id),
      name: board.name,
      is_archived: board.isArchived,
      actor: tx.eventActor,
    },
  });
}
