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
    description:
      "Every request of the keys of this environment, reads too, newest first; kept 7 days, and there within a minute. Of a key that is revoked, expired or not allowed from its address the refusals are there; a call without a key of the workspace is nobody's. `route` is the path as this document writes it, `*` where no operation has it; in `path` a part that is no id is named as in `route`, and in one that no operation has, what may be somebody's name or address is `…`. `reason` is that of the error. Never bodies, headers or queries. With a filter a page may be short, or empty, while there is more: `nextCursor` leads on. Of calls beyond the rate limit (429) the first 20 of a key and minute are sure to be there.",
    scope: 'keys:manage',
    query: RequestLogQuery,
    status: 200,
    response: listOf(RequestLog),
    errors: ['bad_request'],
  },
  ({ tx, query }) => listRequests(tx.tenant, query),
);
