import { listOf } from '#lib/core/schema.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { listRequests, RequestLogQuery } from '#lib/workspaces/request-list.ts';
import { RequestLog } from '#lib/workspaces/request-row.ts';

/** Every request of the workspace's keys, reads too. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/request-logs',
    summary: 'List requests',
    scope: 'keys:manage',
    query: RequestLogQuery,
    status: 200,
    response: listOf(RequestLog),
    errors: ['bad_request'],
  },
  ({ tx, query }) => listRequests(tx.tenant, query),
);
