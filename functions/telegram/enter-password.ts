import { enterPassword, getLogin } from '#lib/channels/telegram/login.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { EnterPassword, Login } from '#lib/entities/login.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Enters the password of a login, of which Telegram is shown only that we know it: the account is connected. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/telegram/logins/{id}/password',
    summary: 'Enter the password of a Telegram login',
    scope: 'accounts:manage',
    body: EnterPassword,
    status: 200,
    response: Login,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getLogin(tx, id),
    needs: ['change-hooks', 'encrypt:login', 'decrypt:login', 'encrypt:account', 'telegram-app'],
    heavyDependency: 'mtcute: it logs somebody in to Telegram',
    timeoutSeconds: longTimeoutSeconds,
  },
  ({ tx, params, body }) => enterPassword(tx, params.id, body),
);
