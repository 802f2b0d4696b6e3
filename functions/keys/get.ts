import { Key, volatileKeyFields } from '#lib/auth/key-schema.ts';
import { getKey } from '#lib/auth/key-store.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** One key; its secret is stored hashed and never shown again. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/keys/{id}',
    summary: 'Get an API key',
    scope: 'keys:manage',
    status: 200,
    response: Key,
    errors: ['not_found'],
    needs: ['read-keys'],
    volatile: volatileKeyFields,
  },
  ({ tx, params }) => getKey(tx, params.id),
);
