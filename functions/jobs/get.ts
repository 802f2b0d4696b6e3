import { Job } from '#lib/entities/job.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getJob } from '#lib/messages/jobs/store.ts';

/** One outbound message, of whatever channel. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/jobs/{id}',
    summary: 'Get a message job',
    scope: 'jobs:read',
    status: 200,
    response: Job,
    errors: ['not_found'],
  },
  ({ tx, params }) => getJob(tx, params.id),
);
