import { listOf } from '#lib/core/schema.ts';
import { Pipeline, PipelineQuery } from '#lib/entities/pipeline.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { listPipelines } from '#lib/workspaces/pipelines.ts';

/** The pipelines of the workspace, without their columns. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/pipelines',
    summary: 'List pipelines',
    scope: 'pipelines:read',
    query: PipelineQuery,
    status: 200,
    response: listOf(Pipeline),
    errors: ['bad_request'],
  },
  ({ tx, query }) => listPipelines(tx, query),
);
