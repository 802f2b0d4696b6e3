import * as v from 'valibot';
import { dealStages } from '#lib/core/choices.ts';
import {
  CurrencyTotal,
  choice,
  count,
  id,
  idInput,
  integer,
  line,
  listInput,
  listOf,
  objectInput,
  paging,
  queryInteger,
  storedChoice,
  time,
} from '#lib/core/schema.ts';
import { entity, type Item } from '#lib/table/entity.ts';
import { color } from './tag.ts';

const kinds = ['deal', 'contact'] as const;

const common = {
  id: id(),
  name: v.string(),
  kind: v.picklist(kinds),
  isDefault: v.boolean(),
  isArchived: v.boolean(),
  createdAt: time(),
};

const shown = { ...common, columnCount: count() };

/** A column with its sums (contract section 12; revision 1.4, section 31). */
export const Column = v.pipe(
  v.object({
    id: id(),
    key: v.pipe(v.string(), v.examples(['lead'])),
    name: v.string(),
    stage: v.pipe(v.string(), v.examples(['lead'])),
    position: count(),
    color: v.string(),
    isTerminal: v.boolean(),
    isApiSettable: v.boolean(),
    defaultProbability: v.nullable(count()),
    count: count(),
    totals: v.array(CurrencyTotal),
  }),
  v.title('Column'),
);
export type Column = v.InferOutput<typeof Column>;

/** A pipeline as the list shows it. */
export const Pipeline = v.pipe(v.object(shown), v.title('Pipeline'));
export const PipelineWithColumns = v.pipe(
  v.object({ ...shown, columns: v.array(Column) }),
  v.title('PipelineWithColumns'),
);
export const Columns = listOf(Column);

export const PipelineQuery = v.object({
  ...paging,
  kind: v.optional(choice(kinds)),
  archived: v.optional(choice(['false', 'true', 'all']), 'false'),
});

/** Limits of the boards of deals that are not archived, of all of them, and of the columns of one. */
export const maxBoards = 20;
export const maxBoardsInAll = 200;
export const maxColumns = 30;

const boardName = () => line(80);
const look = { probability: v.optional(integer(0, 100)), color: v.optional(color()) };
const newColumn = { name: line(40), stage: choice(dealStages), ...look };
const position = () => v.optional(integer(1, maxColumns));

export const CreatePipeline = v.pipe(
  v.object({
    name: boardName(),
    columns: listInput(v.pipe(objectInput(newColumn), v.title('NewColumn')), maxColumns, 'columns'),
  }),
  v.title('CreatePipeline'),
);
export const PatchPipeline = v.pipe(
  v.object({ name: v.optional(boardName()), isDefault: v.optional(v.boolean()) }),
  v.title('PatchPipeline'),
);
export const ArchivePipeline = v.pipe(v.object({ moveTo: v.optional(idInput()) }), v.title('ArchivePipeline'));
export const CreateColumn = v.pipe(v.object({ ...newColumn, position: position() }), v.title('CreateColumn'));
export const PatchColumn = v.pipe(
  v.object({ name: v.optional(line(40)), ...look, position: position() }),
  v.title('PatchColumn'),
);
export const DeleteColumnQuery = v.object({ moveTo: v.optional(queryInteger()) });

export type CreatePipeline = v.InferOutput<typeof CreatePipeline>;
export type PatchPipeline = v.InferOutput<typeof PatchPipeline>;
export type CreateColumn = v.InferOutput<typeof CreateColumn>;
export type PatchColumn = v.InferOutput<typeof PatchColumn>;

const StoredColumn = v.object({
  id: id(),
  key: v.string(),
  name: v.string(),
  stage: storedChoice(dealStages),
  color: v.string(),
  probability: integer(0, 100),
  /** One of the six that a workspace begins with, which stay. */
  isFixed: v.optional(v.literal(true)),
  /** The column that takes its deals, after which it goes. No deal enters it any more. */
  movingTo: v.optional(id()),
});
export type StoredColumn = v.InferOutput<typeof StoredColumn>;

/** A pipeline. One of deals holds its columns from left to right; those of contacts derive from the stages. */
export const Pipelines = entity({
  name: 'pipeline',
  schema: v.object({
    ...common,
    columns: v.array(StoredColumn),
    /** The number of the newest column: none is given twice. */
    lastColumn: count(),
    /** The board that takes the open deals of one that is archived, as long as it has some. */
    movingTo: v.optional(id()),
  }),
});
export type StoredPipeline = Item<typeof Pipelines>;

/** Exists while deals may enter the column. Every deal that enters is counted, so that a removal beside it meets a conflict. */
export const ColumnDoors = entity({ name: 'column-door', schema: v.object({ id: id(), entered: count() }) });

const idsPerBoard = 10_000;

/** Limit of the columns that a board has ever had. */
export const maxColumnNumber = idsPerBoard - 1;

/** Returns the id of a column, unique among all boards, by its number in the board. */
export const columnIdOf = (pipelineId: number, number: number) => pipelineId * idsPerBoard + number;

/** Returns the id of the board that a column is in. */
export const boardIdOf = (columnId: number) => Math.floor(columnId / idsPerBoard);
