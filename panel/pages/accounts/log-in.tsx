import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { ApiError } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { environment } from '../../app/session.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Field, Form, type Values } from '../../parts/form.tsx';
import { When } from '../../parts/when.tsx';
import type { DialogProps } from './shown.ts';

type Login = Schema<'TelegramLogin'>;

const ways: Record<Login['sentBy'], string> = {
  app: 'to your Telegram app',
  sms: 'by SMS',
  call: 'by a phone call',
  other: 'in a way of its own',
};

/** Logs a Telegram user in: the phone, the code that comes to it, and the password where there is one. */
export function LogIn({ onDone, onClose }: DialogProps) {
  const [login, setLogin] = useState<Login>();
  const [isOver, setOver] = useState(false);
  const went = (now: Login) => {
    if (now.status !== 'connected') return setLogin(now);
    onDone();
    onClose();
  };
  /** A login that is over begins again with the phone. */
  const step = (work: (values: Values) => Promise<Login>) => async (values: Values) => {
    try {
      went(await work(values));
    } catch (error) {
      if (!(error instanceof ApiError && error.reason === 'login_over')) throw error;
      setLogin(undefined);
      setOver(true);
    }
  };
  const path = { id: login?.id ?? 0 };
  const begin = step(({ phone = '', name }) => api.post('/v1/telegram/logins', { body: { phone, name } }));
  const enterCode = step(({ code = '' }) =>
    api.post('/v1/telegram/logins/{id}/code', { params: { path }, body: { code } }),
  );
  const enterPassword = step(({ password = '' }) =>
    api.post('/v1/telegram/logins/{id}/password', { params: { path }, body: { password } }),
  );
  const isSandbox = environment.value === 'test';
  return (
    <Dialog title="Log in a Telegram user" onClose={onClose}>
      {login === undefined && (
        <Form key="phone" submit="Send the code" onSubmit={begin} onCancel={onClose}>
          {isOver && <p class="note">That login is over. Begin again.</p>}
          <p class="hint">Step 1 of 3. Telegram sends a code to this number's owner.</p>
          <Field
            label="Phone"
            name="phone"
            type="tel"
            required
            maxLength={41}
            autocomplete="tel"
            placeholder="+49 151 23456789"
          />
          <Field label="Name" name="name" maxLength={200} hint="What the account is called here" />
        </Form>
      )}
      {login?.status === 'code_needed' && (
        <Form key="code" submit="Continue" onSubmit={enterCode} onCancel={onClose}>
          <p class="hint" role="status">
            Step 2 of 3. {isSandbox ? 'In the sandbox the code is 00000.' : `The code was sent ${ways[login.sentBy]}.`}{' '}
            It ends <When at={login.expiresAt} />.
          </p>
          <Field label="Code" name="code" required maxLength={100} autocomplete="one-time-code" />
        </Form>
      )}
      {login?.status === 'password_needed' && (
        <Form key="password" submit="Log in" onSubmit={enterPassword} onCancel={onClose}>
          <p class="hint" role="status">
            Step 3 of 3.{' '}
            {isSandbox ? 'In the sandbox the password is “test”.' : 'This user has a password. It is not kept.'}
            {login.passwordHint && ` Telegram's hint: ${login.passwordHint}`}
          </p>
          <Field label="Password" name="password" type="password" required maxLength={1000} autocomplete="off" />
        </Form>
      )}
    </Dialog>
  );
}
