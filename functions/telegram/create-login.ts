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
    description:
      'Telegram sends a code to the phone, which is entered within ten minutes. 429 with reason `code_sent_lately` within a minute of the last code to the same phone, and `daily_quota` beyond 20 logins begun in a day in UTC. With a test key nobody is asked: the code is `00000`, the password `test`.',
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
