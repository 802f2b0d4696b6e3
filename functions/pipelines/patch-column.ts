import { patchColumn } from '#lib/deals/board-changes.ts';
import { Column, PatchColumn } from '#lib/entities/pipeline.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getColumn } from '#lib/workspaces/pipelines.ts';

/** Changes name, color, place, or probability of a column. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/v1/pipelines/{id}/columns/{columnId}',
    summary: 'Change a column',
    hasNoTool: true,
    scope: 'pipelines:write',
    body: PatchColumn,
    readOnly: {
      stage: 'POST /v1/pipelines/{id}/columns: the stage of a column is fixed',
      key: 'POST /v1/pipelines/{id}/columns: the key of a column is fixed',
    },
    status: 200,
    response: Column,
    errors: ['bad_request', 'not_found'],
    exists: (tx, { id, columnId }) => getColumn(tx, id, columnId),
  },
  ({ tx, params, body }) => patchColumn(tx, params.id, params.columnId, body),
);
