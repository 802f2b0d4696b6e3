import { Enrollment } from '#lib/entities/enrollment.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { takeOut } from '#lib/sequences/enroll.ts';

/** Takes a contact out of a sequence. */
export const handler = endpoint(
  {
    method: 'DELETE',
    path: '/v1/sequences/{id}/enrollments/{enrollmentId}',
    summary: 'Take a contact out of a sequence',
    scope: 'sequences:write',
    hasNoTool: true,
    status: 200,
    response: Enrollment,
    errors: ['not_found'],
  },
  ({ tx, params }) => takeOut(tx, params.id, params['enrollmentId'] as number),
);
