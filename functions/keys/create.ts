import { endpoint } from '#lib/http/endpoint.ts';
import { MintedKey, MintKey } from '#lib/keys/key.ts';
import { mintKeyAs } from '#lib/keys/store.ts';

/** Mints a key for the caller's environment with scopes that the caller has. `key` is shown in this answer only. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/keys',
    summary: 'Mint an API key',
    scope: 'keys:manage',
    body: MintKey,
    status: 201,
    response: MintedKey,
    errors: ['bad_request', 'conflict'],
  },
  ({ tx, caller, body }) => mintKeyAs(tx, caller, body),
);
