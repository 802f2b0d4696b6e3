import { endpoint } from '#lib/http/endpoint.ts';
import { RevokedKey } from '#lib/keys/key.ts';
import { revokeKey } from '#lib/keys/store.ts';

/** Revokes a key, effective at once; the caller's own is allowed. Revoking it again gives the same answer. */
export const handler = endpoint(
  {
    method: 'DELETE',
    path: '/v1/keys/{id}',
    summary: 'Revoke an API key',
    scope: 'keys:manage',
    status: 200,
    response: RevokedKey,
    errors: ['not_found'],
  },
  ({ tx, params }) => revokeKey(tx, params.id),
);
