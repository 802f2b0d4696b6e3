import { enterCode, getLogin } from '#lib/channels/telegram/login.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { EnterCode, Login } from '#lib/entities/login.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Enters the code of a login: the account is connected, or Telegram asks for the password. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/telegram/logins/{id}/code',
    summary: 'Enter the code of a Telegram login',
    scope: 'accounts:manage',
    body: EnterCode,
    status: 200,
    response: Login,
    errors: ['bad_request', 'not_found', 'conflict'],
    current: (tx, { id }) => getLogin(tx, id),
    needs: ['change-hooks', 'encrypt:login', 'decrypt:login', 'encrypt:account', 'telegram-app'],
    heavyDependency: 'mtcute: it logs somebody in to Telegram',
    timeoutSeconds: longTimeoutSeconds,
  },
  ({ tx, params, body }) => enterCode(tx, params.id, body),
);
