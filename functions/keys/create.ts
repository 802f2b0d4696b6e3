import { Key, MintedKey, MintKey, volatileKeyFields } from '#lib/auth/key-schema.ts';
import { mintKeyAs, permitMint } from '#lib/auth/key-store.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Mints a key for the caller's environment that is no stronger than the caller's. `key` is shown in this answer only. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/keys',
    summary: 'Mint an API key',
    scope: 'keys:manage',
    body: MintKey,
    status: 201,
    response: MintedKey,
    made: Key,
    volatile: volatileKeyFields,
    errors: ['bad_request', 'conflict'],
    needs: ['change-keys'],
    permit: ({ caller, body }) => permitMint(caller, body),
  },
  ({ tx, caller, body }) => mintKeyAs(tx, caller, body),
);
