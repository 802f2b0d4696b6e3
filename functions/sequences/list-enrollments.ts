import { listOf } from '#lib/core/schema.ts';
import { Enrollment, EnrollmentQuery } from '#lib/entities/enrollment.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { listEnrollments } from '#lib/sequences/store.ts';

/** The contacts of a sequence and how far they are, newest first. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/sequences/{id}/enrollments',
    summary: 'List the enrollments of a sequence',
    scope: 'sequences:read',
    query: EnrollmentQuery,
    status: 200,
    response: listOf(Enrollment),
    errors: ['bad_request', 'not_found'],
  },
  ({ tx, params, query }) => listEnrollments(tx, params.id, query),
);
