import { Key, PatchKey, volatileKeyFields } from '#lib/auth/key-schema.ts';
import { getKey, patchKey, permitPatch } from '#lib/auth/key-store.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Changes name, addresses, expiry or scopes of a key that is no stronger than the caller's, and does not become so. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/v1/keys/{id}',
    summary: 'Change an API key',
    scope: 'keys:manage',
    body: PatchKey,
    status: 200,
    response: Key,
    errors: ['bad_request', 'not_found', 'conflict'],
    needs: ['change-keys'],
    permit: ({ tx, caller, params, body }) => permitPatch(tx, caller, params.id, body),
    current: (tx, { id }) => getKey(tx, id),
    volatile: volatileKeyFields,
  },
  ({ tx, caller, params, body }) => patchKey(tx, caller, params.id, body),
);
