import type { Noun } from './noun.ts';

export const pipelines: Noun = {
  about: 'Boards of deals and of contacts, with counts and totals by column.',
  operations: {
    pipelinesList:
      'Lists the pipelines of the workspace, newest first, without their columns. There is one for deals and one for contacts. Use it to find the id of a board.',
    pipelinesGet:
      'Returns one pipeline with its columns, counts, and totals. Use it to draw a board. Every write that was answered before is counted. Cards are not included: read `GET /v1/deals?stage=` or `GET /v1/contacts?stage=`.',
    pipelinesListColumns:
      'Lists the columns of a pipeline from left to right, on one page. Use it when you need no more than the counts. Cards are read with the lists of deals and contacts.',
  },
  parameters: {
    '*': { id: 'Id of the pipeline, as in `GET /v1/pipelines`.' },
    pipelinesList: { kind: 'Only pipelines of deals, or only those of contacts; both by default.' },
  },
  schemas: {
    Pipeline: {
      id: 'Id of the pipeline, unique within its environment.',
      name: 'Name of the board, as the panel shows it.',
      kind: 'The kind of cards on the board: deals or contacts.',
      isDefault: 'Whether new cards of this kind go to this board.',
      columnCount: 'How many columns the board has.',
    },
    PipelineWithColumns: { columns: 'The columns from left to right.' },
    Column: {
      id: 'Id of the column, unique within its environment.',
      key: 'The stage of its cards, as filters take it: `proposal`.',
      name: 'Heading of the column, as the panel shows it: `Proposal`.',
      position: 'Place from the left, counted from 1.',
      color: 'Color of the heading, as `#rrggbb`.',
      isTerminal: 'Whether a card ends here: won and lost deals, customers, and lost contacts.',
      isApiSettable: 'Whether the API can move a card here. False only for `won`.',
      defaultProbability: 'Chance of winning in percent that a deal gets here. Null on the board of contacts.',
      count: 'How many cards are in the column.',
      totals: 'Value of the deals in the column, one sum for each currency. Empty on the board of contacts.',
    },
    ColumnList: { items: 'The columns from left to right, all on one page.' },
  },
  like: { PipelineWithColumns: 'Pipeline' },
  enums: { PipelineKind: 'The kind of cards in a pipeline: deals or contacts.' },
};
