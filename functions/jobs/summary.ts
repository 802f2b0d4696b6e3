import { endpoint } from '#lib/http/endpoint.ts';
import { JobSummary, JobSummaryQuery, summariseJobs } from '#lib/messages/jobs/summary.ts';

/** Returns the counts of waiting jobs, and of those sent and failed since a time. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/jobs/summary',
    summary: 'Summarise message jobs',
    scope: 'jobs:read',
    query: JobSummaryQuery,
    status: 200,
    response: JobSummary,
    errors: ['bad_request'],
    isSlow: true,
  },
  ({ tx, query }) => summariseJobs(tx, query.since),
);
