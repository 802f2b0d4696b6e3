import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { Sequence, SequenceWithSteps } from '#lib/entities/sequence.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { resumeSequence } from '#lib/sequences/pause.ts';
import { getSequence } from '#lib/sequences/store.ts';

/** Lets a paused sequence go on; what waits is due later by the time of the pause. */
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
    needs: ['mail-sender'],
    current: (tx, { id }) => getSequence(tx, id),
    timeoutSeconds: longTimeoutSeconds,
  },
  ({ tx, params }) => resumeSequence(tx, params.id),
);
