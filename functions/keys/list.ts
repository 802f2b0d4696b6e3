import { Key, KeyQuery } from '#lib/auth/key-schema.ts';
import { listKeys } from '#lib/auth/key-store.ts';
import { listOf } from '#lib/core/schema.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** The keys of the workspace, of both environments, revoked ones included. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/keys',
    summary: 'List API keys',
    scope: 'keys:manage',
    query: KeyQuery,
    status: 200,
    response: listOf(Key),
    errors: ['bad_request'],
    needs: ['read-keys'],
  },
  ({ tx, query }) => listKeys(tx, query),
);
