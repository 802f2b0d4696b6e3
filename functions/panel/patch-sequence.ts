import { roles } from '#lib/core/choices.ts';
import { PatchSequence, SequenceWithSteps } from '#lib/entities/sequence.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getSequence, patchSequence } from '#lib/sequences/store.ts';

/** Changes a draft; what runs, or has run, stays as it is. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/panel/sequences/{id}',
    summary: 'Change a draft of a sequence',
    scope: 'sequences:write',
    roles,
    isUndocumented: true,
    body: PatchSequence,
    status: 200,
    response: SequenceWithSteps,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getSequence(tx, id),
  },
  ({ tx, params, body }) => patchSequence(tx, params.id, body),
);
