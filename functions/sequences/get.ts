import { SequenceWithSteps } from '#lib/entities/sequence.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getSequence } from '#lib/sequences/store.ts';

/** One sequence with its steps. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/sequences/{id}',
    summary: 'Get a sequence',
    scope: 'sequences:read',
    status: 200,
    response: SequenceWithSteps,
    errors: ['not_found'],
  },
  ({ tx, params }) => getSequence(tx, params.id),
);
