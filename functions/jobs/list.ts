import { listOf } from '#lib/core/schema.ts';
import { Job, JobQuery } from '#lib/entities/job.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { listJobs } from '#lib/messages/jobs/list.ts';

/** Outbound messages of every channel, newest first. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/jobs',
    summary: 'List message jobs',
    scope: 'jobs:read',
    query: JobQuery,
    status: 200,
    response: listOf(Job),
    errors: ['bad_request'],
  },
  ({ tx, query }) => listJobs(tx, query),
);
