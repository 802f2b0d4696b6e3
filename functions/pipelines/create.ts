import { createBoard } from '#lib/deals/board-changes.ts';
import { CreatePipeline, PipelineWithColumns } from '#lib/entities/pipeline.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Adds a board of deals with its columns. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/pipelines',
    summary: 'Create a pipeline',
    hasNoTool: true,
    scope: 'pipelines:write',
    body: CreatePipeline,
    status: 201,
    response: PipelineWithColumns,
    reported: ['columns', 'columnCount'],
    errors: ['bad_request', 'conflict'],
  },
  ({ tx, body }) => createBoard(tx, body),
);
