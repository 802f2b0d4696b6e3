import { Nothing } from '#lib/core/schema.ts';
import { restoreBoard } from '#lib/deals/board-changes.ts';
import { PipelineWithColumns } from '#lib/entities/pipeline.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getPipeline } from '#lib/workspaces/pipelines.ts';

/** Brings an archived board of deals back. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/pipelines/{id}/restore',
    summary: 'Restore a pipeline',
    hasNoTool: true,
    scope: 'pipelines:write',
    body: Nothing,
    status: 200,
    response: PipelineWithColumns,
    reported: ['columns', 'columnCount'],
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getPipeline(tx, id),
  },
  ({ tx, params }) => restoreBoard(tx, params.id),
);
