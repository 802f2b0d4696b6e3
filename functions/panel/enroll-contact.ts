import { roles } from '#lib/core/choices.ts';
import { panelBase } from '#lib/core/env.ts';
import { Enrollment } from '#lib/entities/enrollment.ts';
import { EnrollContact, SequenceWithSteps } from '#lib/entities/sequence.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { enroll } from '#lib/sequences/enroll.ts';
import { getSequence } from '#lib/sequences/store.ts';

/** Enrolls a contact in a sequence. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/panel/sequences/{id}/enroll',
    summary: 'Enroll a contact',
    scope: 'sequences:write',
    roles,
    isUndocumented: true,
    body: EnrollContact,
    status: 201,
    response: Enrollment,
    representation: SequenceWithSteps,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getSequence(tx, id),
    location: (_, { id }) => `/v1/sequences/${id}/enrollments`,
  },
  ({ tx, params, body, request }) => enroll(tx, params.id, body.contactId, panelBase(request)),
);
