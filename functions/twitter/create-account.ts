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
