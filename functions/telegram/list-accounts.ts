import { listOf } from '#lib/core/schema.ts';
import { telegram } from '#lib/core/telegram-channel.ts';
import { Account, AccountQuery } from '#lib/entities/account.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { listAccounts } from '#lib/messages/accounts/store.ts';

/** The Telegram accounts that messages can leave through, with what they sent today and what waits. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/telegram/accounts',
    summary: 'List Telegram accounts',
    scope: 'telegram:read',
    query: AccountQuery,
    status: 200,
    response: listOf(Account),
    errors: ['bad_request'],
  },
  ({ tx, query }) => listAccounts(tx, telegram.name, query),
);
