import { telegram } from '#lib/core/telegram-channel.ts';
import { Account, reportedOfAccounts } from '#lib/entities/account.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getAccount } from '#lib/messages/accounts/store.ts';

/** One Telegram account. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/telegram/accounts/{id}',
    summary: 'Get a Telegram account',
    scope: 'telegram:read',
    status: 200,
    response: Account,
    errors: ['not_found'],
    reported: reportedOfAccounts,
  },
  ({ tx, params }) => getAccount(tx, params.id, telegram.name),
);
