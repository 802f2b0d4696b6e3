import { panelBase } from '#lib/core/env.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { EnrollContacts, SequenceWithSteps } from '#lib/entities/sequence.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { EnrollmentResults, enrollOps } from '#lib/sequences/enroll-many.ts';
import { getSequence } from '#lib/sequences/store.ts';
import { runBatch } from '#lib/table/batch.ts';

/** Enrolls up to a hundred contacts, each for itself. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/sequences/{id}/enrollments',
    summary: 'Enroll contacts in a sequence',
    scope: 'sequences:write',
    hasNoTool: true,
    body: EnrollContacts,
    status: 200,
    response: EnrollmentResults,
    representation: SequenceWithSteps,
    errors: ['bad_request', 'not_found'],
    current: (tx, { id }) => getSequence(tx, id),
    timeoutSeconds: longTimeoutSeconds,
  },
  async ({ params, body, ...input }) => {
    await getSequence(input.tx, params.id);
    const items = body.contactIds.map((contactId) => ({ op: 'enroll', contactId }));
    return runBatch(
      { ...input, body: { items, atomic: false } },
      'enrollment',
      enrollOps(params.id, panelBase(input.request)),
    );
  },
);
