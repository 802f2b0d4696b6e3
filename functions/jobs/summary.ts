import { endpoint } from '#lib/http/endpoint.ts';
import { JobSummary, JobSummaryQuery, summariseJobs } from '#lib/jobs/summary.ts';

/** What waits now, and what was sent and failed since a time. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/jobs/summary',
    summary: 'Summarise message jobs',
    description:
      '400 `range_too_large` where there is more since then than one call may read; 429 `too_many_at_once` while ten slow calls of the workspace are under way.',
    scope: 'jobs:read',
    query: JobSummaryQuery,
    status: 200,
    response: JobSummary,
    errors: ['bad_request'],
  },
  ({ tx, query }) => summariseJobs(tx, query.since),
);
