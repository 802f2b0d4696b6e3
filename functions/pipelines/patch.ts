import { patchBoard } from '#lib/deals/board-changes.ts';
import { PatchPipeline, PipelineWithColumns } from '#lib/entities/pipeline.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getPipeline } from '#lib/workspaces/pipelines.ts';

/** Renames a board of deals, or makes it the default one. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/v1/pipelines/{id}',
    summary: 'Change a pipeline',
    hasNoTool: true,
    scope: 'pipelines:write',
    body: PatchPipeline,
    status: 200,
    response: PipelineWithColumns,
    reported: ['columns', 'columnCount'],
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getPipeline(tx, id),
  },
  ({ tx, params, body }) => patchBoard(tx, params.id, body),
);
