import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { Sequence, SequenceWithSteps } from '#lib/entities/sequence.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { pauseSequence } from '#lib/sequences/pause.ts';
import { getSequence } from '#lib/sequences/store.ts';

/** Pauses an active sequence: its unsent messages stay queued. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/sequences/{id}/pause',
    summary: 'Pause a sequence',
    scope: 'sequences:write',
    status: 200,
    response: Sequence,
    representation: SequenceWithSteps,
    errors: ['not_found', 'conflict'],
    current: (tx, { id }) => getSequence(tx, id),
    timeoutSeconds: longTimeoutSeconds,
  },
  ({ tx, params }) => pauseSequence(tx, params.id),
);
