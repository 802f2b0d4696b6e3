import { PipelineWithColumns } from '#lib/entities/pipeline.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getPipeline } from '#lib/workspaces/pipelines.ts';

/** One pipeline with its columns, their counts and totals. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/pipelines/{id}',
    summary: 'Get a pipeline',
    description:
      'Counts and totals include every write that was answered before. Cards are read with `GET /v1/deals?stage=` and `GET /v1/contacts?stage=`. In the pipeline of contacts the terminal columns are `customer` and `lost`.',
    scope: 'pipelines:read',
    status: 200,
    response: PipelineWithColumns,
    errors: ['not_found'],
  },
  ({ tx, params }) => getPipeline(tx, params.id),
);
