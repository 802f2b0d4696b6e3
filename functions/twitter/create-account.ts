import { CreateTwitterAccount, createTwitterAccount } from '#lib/channels/twitter/accounts.ts';
import { connectTimeoutSeconds } from '#lib/core/timeouts.ts';
import { twitter } from '#lib/core/twitter-channel.ts';
import { Account, reportedOfAccounts } from '#lib/entities/account.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getAccount } from '#lib/messages/accounts/store.ts';

/** Connects an X account by its tokens; X is asked whose they are. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/twitter/accounts',
    summary: 'Connect an X account',
    description:
      'X is asked whose the access token is (OAuth 2.0 with PKCE; scopes `dm.read`, `dm.write`, `tweet.read`, `users.read`, and `offline.access` for a refresh token). An access token lives two hours: without `refreshToken` and `clientId` the account is disconnected then. An account that is disconnected is connected again, with its id. With a test key nobody is asked: a token `test_…` connects a sandbox account. An environment has at most 100 accounts that are connected: 409 `too_many_accounts` beyond.',
    scope: 'accounts:manage',
    body: CreateTwitterAccount,
    status: 201,
    response: Account,
    reported: reportedOfAccounts,
    errors: ['bad_request', 'conflict'],
    needs: ['encrypt:account'],
    heavyDependency: 'undici: it asks X whose token it is',
    timeoutSeconds: connectTimeoutSeconds,
  },
  async ({ tx, body }) => {
    const { id } = await createTwitterAccount(tx, body);
    return getAccount(tx, id, twitter.name);
  },
);
