import type * as v from 'valibot';
import { activeDealStages } from '#lib/core/choices.ts';
import { badRequest, conflict, invalidField, notFound, unknownReference } from '#lib/core/problem.ts';
import { foldCase } from '#lib/core/text.ts';
import {
  type Column,
  ColumnDoors,
  type CreateColumn,
  type CreatePipeline,
  columnIdOf,
  maxBoards,
  maxBoardsInAll,
  maxColumnNumber,
  maxColumns,
  type PatchColumn,
  type PatchPipeline,
  Pipelines,
  type PipelineWithColumns,
  type StoredColumn,
  type StoredPipeline,
} from '#lib/entities/pipeline.ts';
import { startSaga } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { columnDefaults, columnSums } from '#lib/workspaces/pipeline-columns.ts';
import { getColumn, getPipeline } from '#lib/workspaces/pipelines.ts';
import { emitPipeline, isActive, openColumns, readBoards, saveBoard } from './boards.ts';
import { boardMoving, columnMoving } from './moving.ts';

type Shown = v.InferOutput<typeof PipelineWithColumns>;

/** Returns a board of deals. Raises 404, and 400 for the board of contacts. */
async function getBoard(tx: UnitOfWork, id: number): Promise<StoredPipeline> {
  const board = await tx.get(Pipelines, { id }, () => notFound('pipeline'));
  if (board.kind !== 'deal')
    throw invalidField('id', 'not_allowed', 'the board of contacts is fixed: use a board of deals');
  return board;
}

/** Returns the boards of deals, and lets no other change that asks for them commit beside this one. */
async function lockBoards(tx: UnitOfWork): Promise<StoredPipeline[]> {
  const boards = await readBoards(tx);
  const board = boards.find(({ isDefault }) => isDefault);
  if (board) tx.update(Pipelines, { ...board });
  return boards;
}

function requireRoomForBoard(boards: readonly StoredPipeline[]): void {
  if (boards.filter(({ isArchived }) => !isArchived).length >= maxBoards)
    throw conflict('limit_reached', `${maxBoards} boards are not archived: archive one first`, { limit: maxBoards });
}

/** Adds a board of deals. Emits pipeline.created. Raises 400, and 409 `limit_reached`. */
export async function createBoard(tx: UnitOfWork, input: CreatePipeline): Promise<Shown> {
  if (!input.columns.some(isActive))
    throw invalidField('columns', 'required', 'a board needs an active column: add one that is neither won nor lost');
  for (const stage of ['won', 'lost'] as const) {
    const [, second] = input.columns.flatMap((column, index) => (column.stage === stage ? [index] : []));
    if (second !== undefined)
      throw invalidField(
        `columns[${second}].stage`,
        'not_allowed',
        `a board has one ${stage} column: leave this one out`,
      );
  }
  const [boards] = await Promise.all([lockBoards(tx), tx.reserveIds({ [Pipelines.name]: 1 })]);
  requireRoomForBoard(boards);
  if (boards.length >= maxBoardsInAll)
    throw conflict('limit_reached', `there are ${maxBoardsInAll} boards with the archived ones: restore one instead`, {
      limit: maxBoardsInAll,
    });
  let board: StoredPipeline = {
    id: await tx.nextId(Pipelines),
    name: input.name,
    kind: 'deal',
    isDefault: false,
    isArchived: false,
    createdAt: tx.now,
    columns: [],
    lastColumn: 0,
  };
  const missing = (['won', 'lost'] as const).filter((stage) => !input.columns.some((column) => column.stage === stage));
  const added = missing.map((stage) => ({ name: columnDefaults(stage).name, stage }));
  for (const column of [...input.columns, ...added]) board = withColumn(tx, board, column, board.columns.length);
  tx.create(Pipelines, board);
  emitPipeline(tx, 'pipeline.created', board);
  return getPipeline(tx, board.id);
}

/** Changes the name, or makes the board the default one. Emits pipeline.updated unless nothing changed. Raises 400, 404, 409. */
export async function patchBoard(tx: UnitOfWork, id: number, { name, isDefault }: PatchPipeline): Promise<Shown> {
  const board = await getBoard(tx, id);
  if (isDefault === false)
    throw invalidField('isDefault', 'not_allowed', 'isDefault can only be true: make another board the default one');
  const next = { ...board, name: name ?? board.name };
  if (isDefault && !board.isDefault) await becomeDefault(tx, next);
  if (JSON.stringify(next) !== JSON.stringify(board)) saveBoard(tx, next);
  return getPipeline(tx, id);
}

async function becomeDefault(tx: UnitOfWork, board: StoredPipeline): Promise<void> {
  const missing = activeDealStages.filter((stage) => !openColumns(board).some((column) => column.stage === stage));
  if (missing.length > 0)
    throw conflict(
      'stages_missing',
      board.isArchived
        ? 'an archived board takes no deals: restore it first'
        : `the default board needs a column of every active stage: add ${missing.join(', ')}`,
      { stages: missing },
    );
  const before = (await readBoards(tx)).find(({ isDefault }) => isDefault);
  if (before) saveBoard(tx, { ...before, isDefault: false });
  board.isDefault = true;
}

/**
 * Archives a board; the same again changes nothing. Its open deals move to another one before the answer or by way of the saga.
 * Emits pipeline.updated. Raises 400, 404, 409.
 */
export async function archiveBoard(tx: UnitOfWork, id: number, moveTo: number | undefined): Promise<Shown> {
  const board = await getBoard(tx, id);
  if (board.isArchived) return getPipeline(tx, id);
  if (board.isDefault)
    throw conflict(
      'default_pipeline',
      'the default board cannot be archived: make another board the default one first',
    );
  if (moveTo !== undefined) await requireTarget(tx, id, moveTo);
  await closeDoors(tx, board.columns);
  // A deal that enters from here on meets a conflict.
  const sumsOf = await columnSums(tx);
  const open = board.columns.filter(isActive).reduce((total, column) => total + sumsOf(column.id).count, 0);
  if (open > 0 && moveTo === undefined)
    throw conflict('pipeline_in_use', `the board has ${open} open deals: name a board for them in moveTo`, { open });
  const isMoving = open > 0 && moveTo !== undefined;
  saveBoard(tx, { ...board, isArchived: true, ...(isMoving && { movingTo: moveTo }) });
  if (isMoving) startSaga(tx, boardMoving, { pipelineId: id });
  return getPipeline(tx, id);
}

async function requireTarget(tx: UnitOfWork, id: number, moveTo: number): Promise<void> {
  const target = await tx.find(Pipelines, { id: moveTo });
  if (target === undefined || target.kind !== 'deal' || target.isArchived || moveTo === id)
    throw unknownReference('moveTo');
  tx.requireUnchanged(Pipelines, target);
}

/** Brings an archived board back; the same again changes nothing. Emits pipeline.updated. Raises 404, and 409 `limit_reached`. */
export async function restoreBoard(tx: UnitOfWork, id: number): Promise<Shown> {
  const board = await getBoard(tx, id);
  if (!board.isArchived) return getPipeline(tx, id);
  requireRoomForBoard(await lockBoards(tx));
  const { movingTo, ...restored } = { ...board, isArchived: false };
  for (const column of openColumns(restored)) openDoor(tx, column);
  saveBoard(tx, restored);
  return getPipeline(tx, id);
}

/** Adds an active column. Emits pipeline.updated. Raises 400, 404, and 409 `limit_reached`. */
export async function createColumn(tx: UnitOfWork, id: number, { position, ...input }: CreateColumn): Promise<Column> {
  const before = await getBoard(tx, id);
  if (!isActive(input))
    throw invalidField('stage', 'not_allowed', `a board has one ${input.stage} column: add an active one`);
  const at = position === undefined ? before.columns.findLastIndex(isActive) + 1 : position - 1;
  const board = withColumn(tx, before, input, at);
  saveBoard(tx, board);
  return getColumn(tx, id, columnIdOf(id, board.lastColumn));
}

/** Changes the given parts of a column. Emits pipeline.updated unless nothing changed. Raises 400 and 404. */
export async function patchColumn(
  tx: UnitOfWork,
  id: number,
  columnId: number,
  { position, ...patch }: PatchColumn,
): Promise<Column> {
  const board = await getBoard(tx, id);
  const column = columnIn(board, columnId);
  const index = board.columns.indexOf(column);
  const isMoved = position !== undefined && Math.min(position, board.columns.length) !== index + 1;
  if (isMoved && column.isFixed)
    throw invalidField(
      'position',
      'not_allowed',
      `the column ${column.key} keeps its place: move other columns around it`,
    );
  const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
  const others = board.columns.toSpliced(index, 1);
  const columns = others.toSpliced(isMoved ? position - 1 : index, 0, { ...column, ...given });
  if (JSON.stringify(columns) !== JSON.stringify(board.columns)) saveBoard(tx, { ...board, columns });
  return getColumn(tx, id, columnId);
}

/**
 * Removes a column. Its deals move to another one of the board before the answer or by way of the saga, and the column stays until
 * then. Emits pipeline.updated. Raises 400, 404, 409.
 */
export async function deleteColumn(tx: UnitOfWork, id: number, columnId: number, moveTo: number | undefined) {
  const board = await getBoard(tx, id);
  const column = columnIn(board, columnId);
  const deleted = { id: columnId, deleted: true as const };
  if (column.movingTo !== undefined) return deleted;
  requireDispensable(board, column);
  const target = board.columns.find((one) => one.id === moveTo && one.id !== columnId && one.movingTo === undefined);
  if (moveTo !== undefined && target === undefined) throw unknownReference('moveTo');
  if (target?.stage === 'won')
    throw badRequest('won_is_panel_only', 'deals are won only in the panel: choose another column');
  if (target && !isActive(target))
    throw invalidField(
      'moveTo',
      'not_allowed',
      'moveTo must be a column of an active stage: deals are lost one by one',
    );
  await closeDoors(tx, [column]);
  // A deal that enters from here on meets a conflict.
  const { count } = (await columnSums(tx))(columnId);
  const columns = board.columns.map((one) =>
    one.movingTo === columnId ? { ...one, movingTo: target?.id ?? columnId } : one,
  );
  if (count === 0 && !columns.some(({ movingTo }) => movingTo === columnId)) {
    saveBoard(tx, { ...board, columns: columns.filter((one) => one.id !== columnId) });
    return deleted;
  }
  if (target === undefined)
    throw conflict('column_in_use', `the column has ${count} deals, or gets some: name a column for them in moveTo`, {
      count,
    });
  const moving = columns.map((one) => (one.id === columnId ? { ...one, movingTo: target.id } : one));
  saveBoard(tx, { ...board, columns: moving });
  startSaga(tx, columnMoving, { columnId });
  return deleted;
}

/** Raises 409 for a column that its board cannot be without. */
function requireDispensable(board: StoredPipeline, column: StoredColumn): void {
  const others = board.columns.filter((one) => one !== column && one.movingTo === undefined);
  const isNeeded = board.isDefault
    ? !others.some(({ stage }) => stage === column.stage)
    : !others.some(isActive) || !isActive(column);
  if (isNeeded || column.isFixed)
    throw conflict('column_required', `the board needs its column ${column.key}: rename it, or remove another one`);
}

/** Returns the board with a new column at an index, for which deals find an open door. Raises 409 `limit_reached`. */
function withColumn(
  tx: UnitOfWork,
  board: StoredPipeline,
  { name, stage, color, probability }: Omit<CreateColumn, 'position'>,
  at: number,
): StoredPipeline {
  if (board.columns.length >= maxColumns)
    throw conflict('limit_reached', `the board has ${maxColumns} columns: remove one first`, { limit: maxColumns });
  const lastColumn = board.lastColumn + 1;
  if (lastColumn > maxColumnNumber)
    throw conflict('limit_reached', `the board has had ${maxColumnNumber} columns: make another board`, {
      limit: maxColumnNumber,
    });
  const defaults = columnDefaults(stage);
  const column = {
    id: columnIdOf(board.id, lastColumn),
    key: keyOf(name, board.columns),
    name,
    stage,
    color: color ?? defaults.color,
    probability: probability ?? defaults.probability,
  };
  if (!board.isArchived) openDoor(tx, column);
  return { ...board, lastColumn, columns: board.columns.toSpliced(at, 0, column) };
}

/** Returns a slug of the name that no column of the board has. */
function keyOf(name: string, columns: readonly StoredColumn[]): string {
  const slug =
    foldCase(name)
      .replace(/[^a-z0-9]+/g, '_')
      .replace(/^_|_$/g, '') || 'column';
  const isTaken = (key: string) => columns.some((column) => column.key === key);
  let key = slug;
  for (let number = 2; isTaken(key); number += 1) key = `${slug}_${number}`;
  return key;
}

function columnIn(board: StoredPipeline, columnId: number): StoredColumn {
  const column = board.columns.find(({ id }) => id === columnId);
  if (column === undefined) throw notFound('column');
  return column;
}

const openDoor = (tx: UnitOfWork, { id }: { id: number }) => tx.create(ColumnDoors, { id, entered: 0 });

/** Lets no deal enter the columns any more. A decision about their deals is made from what is read after it. */
async function closeDoors(tx: UnitOfWork, columns: readonly StoredColumn[]): Promise<void> {
  const doors = await tx.findAll(
    ColumnDoors,
    columns.map(({ id }) => ({ id })),
  );
  for (const door of doors) tx.delete(ColumnDoors, door);
}
