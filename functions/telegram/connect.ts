import { publicAddress } from '#lib/accounts/inbound.ts';
import { getAccount } from '#lib/accounts/store.ts';
import { ConnectBot, connectBot } from '#lib/channels/telegram/accounts.ts';
import { telegram } from '#lib/channels/telegram/channel.ts';
import { Account, volatileOfAccounts } from '#lib/entities/account.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Gives a bot a new token; what waits is sent, and it hears as before. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/telegram/accounts/{id}/connect',
    summary: 'Give a Telegram bot a new token',
    scope: 'accounts:manage',
    body: ConnectBot,
    status: 200,
    response: Account,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getAccount(tx, id, telegram.name),
    volatile: volatileOfAccounts,
    needs: ['encrypt:account'],
    timeoutSeconds: 20,
  },
  async ({ tx, params, body, request }) => {
    const { id } = await connectBot(tx, params.id, body, publicAddress(request.domain));
    return getAccount(tx, id, telegram.name);
  },
);
