import { CreateBot, createBot } from '#lib/channels/telegram/accounts.ts';
import { telegram } from '#lib/core/telegram-channel.ts';
import { connectTimeoutSeconds } from '#lib/core/timeouts.ts';
import { Account, reportedOfAccounts } from '#lib/entities/account.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { publicAddress } from '#lib/messages/accounts/inbound.ts';
import { getAccount } from '#lib/messages/accounts/store.ts';

/** Connects a bot by its token, which Telegram is asked about. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/telegram/accounts',
    summary: 'Connect a Telegram bot',
    scope: 'accounts:manage',
    body: CreateBot,
    status: 201,
    response: Account,
    reported: reportedOfAccounts,
    errors: ['bad_request', 'conflict'],
    needs: ['change-hooks', 'encrypt:account'],
    heavyDependency: 'undici: it asks Telegram whose token it is',
    timeoutSeconds: connectTimeoutSeconds,
  },
  async ({ tx, body, request }) => {
    const { id } = await createBot(tx, body, publicAddress(request.domain));
    return getAccount(tx, id, telegram.name);
  },
);
