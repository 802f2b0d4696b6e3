import { roles } from '#lib/core/choices.ts';
import { Nothing } from '#lib/core/schema.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { SequenceWithSteps } from '#lib/entities/sequence.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { activateSequence } from '#lib/sequences/pause.ts';
import { getSequence } from '#lib/sequences/store.ts';

/** Starts a draft: whoever was enrolled in it begins with its first step. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/panel/sequences/{id}/activate',
    summary: 'Activate a sequence',
    scope: 'sequences:write',
    roles,
    isUndocumented: true,
    body: Nothing,
    status: 200,
    response: SequenceWithSteps,
    errors: ['not_found', 'conflict'],
    current: (tx, { id }) => getSequence(tx, id),
    needs: ['mail-sender'],
    timeoutSeconds: longTimeoutSeconds,
  },
  ({ tx, params }) => activateSequence(tx, params.id),
);
