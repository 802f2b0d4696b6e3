import { twitter } from '#lib/core/twitter-channel.ts';
import { PatchAccount } from '#lib/entities/account.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { patchAccount } from '#lib/messages/accounts/patch.ts';
import { accountChange } from '#lib/messages/accounts/route.ts';

/** Changes how an account is called, how much and how fast it sends, and how it hears. */
export const handler = endpoint(
  {
    ...accountChange(twitter.name),
    method: 'PATCH',
    path: '/v1/twitter/accounts/{id}',
    summary: 'Change an X account',
    body: PatchAccount,
    readOnly: {
      accessToken: 'POST /v1/twitter/accounts',
      refreshToken: 'POST /v1/twitter/accounts',
      status: 'POST /v1/twitter/accounts or /v1/twitter/accounts/{id}/disconnect',
    },
    errors: ['bad_request', 'not_found', 'conflict'],
    needs: ['encrypt:account'],
  },
  ({ tx, params, body, request }) => patchAccount(tx, { id: params.id, channel: twitter.name }, body, request.domain),
);
