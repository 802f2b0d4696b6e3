import { getAccount } from '#lib/accounts/store.ts';
import { disconnectTelegram } from '#lib/channels/telegram/accounts.ts';
import { telegram } from '#lib/channels/telegram/channel.ts';
import { Account, volatileOfAccounts } from '#lib/entities/account.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { longTimeoutSeconds } from '#lib/timeouts.ts';

/** Ends an account: its webhook or session is removed at Telegram, and its secret forgotten. What is queued waits for a day. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/telegram/accounts/{id}/disconnect',
    summary: 'Disconnect a Telegram account',
    scope: 'accounts:manage',
    status: 200,
    response: Account,
    errors: ['not_found'],
    current: (tx, { id }) => getAccount(tx, id, telegram.name),
    volatile: volatileOfAccounts,
    needs: ['decrypt:account'],
    timeoutSeconds: longTimeoutSeconds,
  },
  async ({ tx, params }) => {
    const { id } = await disconnectTelegram(tx, params.id);
    return getAccount(tx, id, telegram.name);
  },
);
