import { listOf } from '#lib/core/schema.ts';
import { AuditEvent, AuditQuery } from '#lib/entities/audit-event.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { listAuditEvents } from '#lib/workspaces/audit.ts';

/** Lists the audit events: every write, and every 401 and 403 of a known key, for 90 days. The newest may be up to 4 s late. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/audit-events',
    summary: 'List audit events',
    scope: 'keys:manage',
    query: AuditQuery,
    status: 200,
    response: listOf(AuditEvent),
    errors: ['bad_request'],
  },
  ({ tx, query }) => listAuditEvents(tx, query),
);
