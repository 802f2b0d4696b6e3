import { Deleted } from '#lib/core/schema.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { deleteColumn } from '#lib/deals/board-changes.ts';
import { DeleteColumnQuery } from '#lib/entities/pipeline.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Removes a column. Its deals move to another one of the board. */
export const handler = endpoint(
  {
    method: 'DELETE',
    path: '/v1/pipelines/{id}/columns/{columnId}',
    summary: 'Delete a column',
    hasNoTool: true,
    scope: 'pipelines:write',
    query: DeleteColumnQuery,
    status: 200,
    response: Deleted,
    errors: ['bad_request', 'not_found', 'conflict'],
    timeoutSeconds: longTimeoutSeconds,
  },
  ({ tx, params, query }) => deleteColumn(tx, params.id, params.columnId, query.moveTo),
);
