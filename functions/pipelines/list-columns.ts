import { Columns } from '#lib/entities/pipeline.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { listColumns } from '#lib/workspaces/pipelines.ts';

/** The columns of a pipeline in order of position, always one page. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/pipelines/{id}/columns',
    summary: 'List the columns of a pipeline',
    scope: 'pipelines:read',
    status: 200,
    response: Columns,
    errors: ['not_found'],
  },
  ({ tx, params }) => listColumns(tx, params.id),
);
