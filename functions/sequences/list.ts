import { listOf } from '#lib/core/schema.ts';
import { Sequence, SequenceQuery } from '#lib/entities/sequence.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { listSequences } from '#lib/sequences/store.ts';

/** Sequences with their exact counts, newest first; `q` searches the name. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/sequences',
    summary: 'List sequences',
    scope: 'sequences:read',
    query: SequenceQuery,
    status: 200,
    response: listOf(Sequence),
    errors: ['bad_request'],
  },
  ({ tx, query }) => listSequences(tx, query),
);
