import { analyseDashboard, Dashboard, DashboardQuery } from '#lib/analytics/dashboard.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/**
 * Key figures of a range, by default the last 30 days; both ends are included. Open, overdue and unread are as of now.
 * `medianFirstReplySeconds` is the time from the first message of a conversation in the range to the first answer of the other side.
 */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/analytics/dashboard',
    summary: 'Dashboard figures',
    scope: 'analytics:read',
    query: DashboardQuery,
    status: 200,
    response: Dashboard,
    errors: ['bad_request'],
    isSlow: true,
    memoryMb: 1024,
  },
  ({ tx, query }) => analyseDashboard(tx, query),
);
