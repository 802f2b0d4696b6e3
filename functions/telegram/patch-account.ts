import { patchAccount } from '#lib/accounts/patch.ts';
import { getAccount } from '#lib/accounts/store.ts';
import { telegram } from '#lib/channels/telegram/channel.ts';
import { Account, PatchAccount, volatileOfAccounts } from '#lib/entities/account.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Changes how an account is called, how much and how fast it sends, and how it hears. */
export const handler = endpoint(
  {
    method: 'PATCH',
    path: '/v1/telegram/accounts/{id}',
    summary: 'Change a Telegram account',
    scope: 'accounts:manage',
    body: PatchAccount,
    status: 200,
    response: Account,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getAccount(tx, id, telegram.name),
    volatile: volatileOfAccounts,
    needs: ['encrypt:account'],
  },
  ({ tx, params, body, request }) => patchAccount(tx, { id: params.id, channel: telegram.name }, body, request.domain),
);
