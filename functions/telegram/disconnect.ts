import { disconnectTelegram } from '#lib/channels/telegram/accounts.ts';
import { telegram } from '#lib/core/telegram-channel.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { accountChange } from '#lib/messages/accounts/route.ts';
import { getAccount } from '#lib/messages/accounts/store.ts';

/** Ends an account: its webhook or session is removed at Telegram, and its secret forgotten. What is queued waits for a day. */
export const handler = endpoint(
  {
    ...accountChange(telegram.name),
    method: 'POST',
    path: '/v1/telegram/accounts/{id}/disconnect',
    summary: 'Disconnect a Telegram account',
    errors: ['not_found'],
    needs: ['change-hooks', 'decrypt:account', 'telegram-app'],
    heavyDependency: 'undici and mtcute: it has Telegram forget the webhook, or ends the session',
    timeoutSeconds: longTimeoutSeconds,
  },
  async ({ tx, params }) => {
    const { id } = await disconnectTelegram(tx, params.id);
    return getAccount(tx, id, telegram.name);
  },
);
