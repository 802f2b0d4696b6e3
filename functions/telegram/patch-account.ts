import { telegram } from '#lib/core/telegram-channel.ts';
import { PatchAccount } from '#lib/entities/account.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { patchAccount } from '#lib/messages/accounts/patch.ts';
import { accountChange } from '#lib/messages/accounts/route.ts';

/** Changes how an account is called, how much and how fast it sends, and how it hears. */
export const handler = endpoint(
  {
    ...accountChange(telegram.name),
    method: 'PATCH',
    path: '/v1/telegram/accounts/{id}',
    summary: 'Change a Telegram account',
    body: PatchAccount,
    readOnly: {
      botToken: 'POST /v1/telegram/accounts/{id}/connect',
      status: 'POST /v1/telegram/accounts/{id}/connect or /disconnect',
    },
    errors: ['bad_request', 'not_found', 'conflict'],
    needs: ['change-hooks', 'encrypt:account'],
  },
  ({ tx, params, body, request }) => patchAccount(tx, { id: params.id, channel: telegram.name }, body, request.domain),
);
