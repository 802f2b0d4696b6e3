import { ConnectBot, connectBot } from '#lib/channels/telegram/accounts.ts';
import { telegram } from '#lib/core/telegram-channel.ts';
import { connectTimeoutSeconds } from '#lib/core/timeouts.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { publicAddress } from '#lib/messages/accounts/inbound.ts';
import { accountChange } from '#lib/messages/accounts/route.ts';
import { getAccount } from '#lib/messages/accounts/store.ts';

/** Gives a bot a new token; what waits is sent, and it hears as before. */
export const handler = endpoint(
  {
    ...accountChange(telegram.name),
    method: 'POST',
    path: '/v1/telegram/accounts/{id}/connect',
    summary: 'Give a Telegram bot a new token',
    body: ConnectBot,
    errors: ['bad_request', 'not_found', 'conflict'],
    needs: ['change-hooks', 'encrypt:account'],
    heavyDependency: 'undici: it asks Telegram whose token it is',
    timeoutSeconds: connectTimeoutSeconds,
  },
  async ({ tx, params, body, request }) => {
    const { id } = await connectBot(tx, params.id, body, publicAddress(request.domain));
    return getAccount(tx, id, telegram.name);
  },
);
