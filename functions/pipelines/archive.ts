import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { archiveBoard } from '#lib/deals/board-changes.ts';
import { ArchivePipeline, PipelineWithColumns } from '#lib/entities/pipeline.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getPipeline } from '#lib/workspaces/pipelines.ts';

/** Archives a board of deals. Its open deals move to another board; closed ones stay. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/pipelines/{id}/archive',
    summary: 'Archive a pipeline',
    hasNoTool: true,
    scope: 'pipelines:write',
    body: ArchivePipeline,
    status: 200,
    response: PipelineWithColumns,
    reported: ['columns', 'columnCount'],
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getPipeline(tx, id),
    timeoutSeconds: longTimeoutSeconds,
  },
  ({ tx, params, body }) => archiveBoard(tx, params.id, body.moveTo),
);
