import { listOf } from '#lib/core/schema.ts';
import { twitter } from '#lib/core/twitter-channel.ts';
import { Account, AccountQuery } from '#lib/entities/account.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { listAccounts } from '#lib/messages/accounts/store.ts';

/** The X accounts that messages can leave through, with what they sent today and what waits. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/twitter/accounts',
    summary: 'List X accounts',
    scope: 'twitter:send',
    query: AccountQuery,
    status: 200,
    response: listOf(Account),
    errors: ['bad_request'],
  },
  ({ tx, query }) => listAccounts(tx, twitter.name, query),
);
