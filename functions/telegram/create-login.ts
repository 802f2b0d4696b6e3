import { startLogin } from '#lib/channels/telegram/login.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { CreateLogin, Login } from '#lib/entities/login.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Begins to connect the account of a person, to whose phone Telegram sends a code. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/telegram/logins',
    summary: 'Log a Telegram user in',
    scope: 'accounts:manage',
    body: CreateLogin,
    status: 201,
    response: Login,
    errors: ['bad_request', 'conflict'],
    needs: ['change-hooks', 'encrypt:login', 'telegram-app'],
    heavyDependency: 'mtcute: it has Telegram send a code',
    timeoutSeconds: longTimeoutSeconds,
  },
  ({ tx, body }) => startLogin(tx, body),
);
