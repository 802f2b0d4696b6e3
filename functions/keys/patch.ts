import { endpoint } from '#lib/http/endpoint.ts';
import { Key, PatchKey, volatileKeyFields } from '#lib/keys/key.ts';
import { getKey, patchKey } from '#lib/keys/store.ts';

/** Changes name, addresses, expiry or scopes of a key. Any scope may be removed; added ones must be the caller's. */
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
    current: (tx, { id }) => getKey(tx, id),
    volatile: volatileKeyFields,
  },
  ({ tx, caller, params, body }) => patchKey(tx, caller, params.id, body),
);
