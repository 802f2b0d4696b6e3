import { Erasure } from '#lib/entities/erasure.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getErasure } from '#lib/privacy/erasure/start.ts';

/** How far the erasure of a contact is. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/erasures/{id}',
    summary: 'Get an erasure',
    scope: 'contacts:erase',
    status: 200,
    response: Erasure,
    errors: ['not_found'],
  },
  ({ tx, params }) => getErasure(tx, params.id),
);
