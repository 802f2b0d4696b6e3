import type { Noun } from './noun.ts';

export const pipelines: Noun = {
  about: 'Boards of deals and of contacts, with counts and totals by column.',
  operations: {
    pipelinesList:
      'Lists the pipelines of the workspace, newest first, without their columns. There are up to 20 for deals, and one for contacts. Use it to find the id of a board. Archived boards are left out unless you send `archived`.',
    pipelinesGet:
      'Returns one pipeline with its columns, counts, and totals. Use it to draw a board. Every write that was answered before is counted. Cards are not included: read `GET /v1/deals?columnId=` or `GET /v1/contacts?stage=`.',
    pipelinesListColumns:
      'Lists the columns of a pipeline from left to right, on one page. Use it when you need no more than the counts. Cards are read with the lists of deals and contacts.',
    pipelinesCreate:
      'Adds a board of deals with its columns from left to right. Use it when some deals take other steps than the rest. A `won` and a `lost` column are added at the end where you name none. Emits `pipeline.created`.',
    pipelinesPatch:
      'Renames a board of deals, or makes it the one that takes new deals. Use it when the process changes. Columns have operations of their own, and the board of contacts is fixed. Emits `pipeline.updated`.',
    pipelinesArchive:
      'Takes a board of deals out of the list. Open deals move to the first column of their stage in `moveTo`, for up to 10 seconds after the answer; closed deals stay. Archiving again changes nothing. Emits `pipeline.updated`.',
    pipelinesRestore:
      'Brings an archived board of deals back with its columns and its closed deals. Find it with `GET /v1/pipelines?archived=true`. Use it to undo an archive. Deals that moved to another board stay there. Emits `pipeline.updated`.',
    pipelinesCreateColumn:
      'Adds an active column to a board of deals, behind the last active one unless you send `position`. Use it for a further step. Won and lost have one column each, which is there already. Emits `pipeline.updated`.',
    pipelinesPatchColumn:
      'Changes the name, color, place, or probability of a column. Use it when a step is renamed. Deals in it keep their own probability, and `key` and `stage` never change. Emits `pipeline.updated`.',
    pipelinesDeleteColumn:
      'Removes a column from a board of deals. Its deals move to the active column `moveTo` of the same board, for up to 10 seconds after the answer, and it stays until then. Emits `deal.column_changed` for each.',
  },
  parameters: {
    '*': { id: 'Id of the pipeline, as in `GET /v1/pipelines`.' },
    pipelinesPatchColumn: { columnId: 'Id of the column, as the board shows it.' },
    pipelinesDeleteColumn: {
      columnId: 'Id of the column, as the board shows it.',
      moveTo: 'Id of the active column of the same board that takes the deals. Required when deals are in the column.',
    },
    pipelinesList: {
      kind: 'Only pipelines of deals, or only those of contacts; both by default.',
      archived:
        'Whether archived boards are listed: `false` leaves them out, `true` lists only them, `all` lists both.',
    },
  },
  schemas: {
    Pipeline: {
      id: 'Id of the pipeline, unique within its environment.',
      name: 'Name of the board, as the panel shows it.',
      kind: 'The kind of cards on the board: deals or contacts.',
      isDefault: 'Whether new cards of this kind go to this board.',
      isArchived: 'Whether the board is archived. It then takes no deals, and lists leave it out.',
      columnCount: 'How many columns the board has.',
    },
    PipelineWithColumns: { columns: 'The columns from left to right.' },
    Column: {
      id: 'Id of the column, unique within its environment.',
      key: 'Name for programs, unique in the board: the stage, or for columns of your own a slug of the first name. It never changes.',
      stage: 'The stage of its cards, as filters take it: `proposal`. It never changes.',
      name: 'Heading of the column, as the panel shows it: `Proposal`.',
      position: 'Place from the left, counted from 1.',
      color: 'Color of the heading, as `#rrggbb`.',
      isTerminal: 'Whether a card ends here: won and lost deals, customers, and lost contacts.',
      isApiSettable: 'Whether the API can move a card here. False only for `won`.',
      defaultProbability: 'Chance of winning in percent that a deal gets here. Null on the board of contacts.',
      count: 'How many cards are in the column.',
      totals: 'Value of the deals in the column, one sum for each currency. Empty on the board of contacts.',
    },
    CreatePipeline: {
      name: 'Name of the board, in one line of 1 to 80 characters.',
      columns: 'Columns from left to right: 1 to 30, at least one of them active.',
    },
    NewColumn: {
      name: 'Heading of the column, in one line of 1 to 40 characters.',
      stage: 'Stage of the deals in the column. A board has one `won` and one `lost` column.',
      probability: 'Chance of winning in percent, 0 to 100, that deals get here. Default that of the stage.',
      color: 'Color of the heading, as `#rrggbb`. Default that of the stage.',
    },
    PatchPipeline: {
      name: 'Name of the board, in one line of 1 to 80 characters.',
      isDefault: 'Send true to make it the board that takes new deals. It needs a column of every active stage.',
    },
    ArchivePipeline: { moveTo: 'Id of the board that takes the open deals. Required when there are some.' },
    CreateColumn: {
      name: 'Heading of the column, in one line of 1 to 40 characters.',
      stage: 'Stage of the deals in the column: an active one.',
      probability: 'Chance of winning in percent, 0 to 100, that deals get here. Default that of the stage.',
      color: 'Color of the heading, as `#rrggbb`. Default that of the stage.',
      position: 'Place from the left, counted from 1. Default behind the last active column.',
    },
    PatchColumn: {
      name: 'Heading of the column, in one line of 1 to 40 characters.',
      probability: 'Chance of winning in percent, 0 to 100, that deals get here from now on.',
      color: 'Color of the heading, as `#rrggbb`.',
      position: 'Place from the left, counted from 1. The six columns that a workspace begins with keep theirs.',
    },
    ColumnList: { items: 'The columns from left to right, all on one page.' },
  },
  like: { PipelineWithColumns: 'Pipeline' },
  enums: { PipelineKind: 'The kind of cards in a pipeline: deals or contacts.' },
};
