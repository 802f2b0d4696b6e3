import { PipelineWithColumns } from '#lib/entities/pipeline.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getPipeline } from '#lib/workspaces/pipelines.ts';

/** One pipeline with its columns, their counts and totals. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/pipelines/{id}',
    summary: 'Get a pipeline',
    scope: 'pipelines:read',
    status: 200,
    response: PipelineWithColumns,
    reported: ['columns', 'columnCount'],
    errors: ['not_found'],
  },
  ({ tx, params }) => getPipeline(tx, params.id),
);
