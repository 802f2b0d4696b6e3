import { endpoint } from '#lib/http/endpoint.ts';
import { resumeSequence } from '#lib/sequences/pause.ts';
import { Sequence, SequenceWithSteps } from '#lib/sequences/sequence.ts';
import { getSequence } from '#lib/sequences/store.ts';

/** Lets a paused sequence go on; what it held is due later by the time it was held. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/sequences/{id}/resume',
    summary: 'Resume a sequence',
    scope: 'sequences:write',
    status: 200,
    response: Sequence,
    representation: SequenceWithSteps,
    errors: ['not_found', 'conflict'],
    current: (tx, { id }) => getSequence(tx, id),
    timeoutSeconds: 29,
  },
  ({ tx, params }) => resumeSequence(tx, params.id),
);
