import { roles } from '#lib/core/choices.ts';
import { CreateSequence, SequenceWithSteps } from '#lib/entities/sequence.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { createSequence } from '#lib/sequences/store.ts';

/** Makes a sequence, which runs at once unless it is a draft. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/panel/sequences',
    summary: 'Create a sequence',
    scope: 'sequences:write',
    roles,
    isUndocumented: true,
    body: CreateSequence,
    status: 201,
    response: SequenceWithSteps,
    errors: ['bad_request'],
    location: ({ id }) => `/v1/sequences/${id}`,
  },
  ({ tx, body }) => createSequence(tx, body),
);
