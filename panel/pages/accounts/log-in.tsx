import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { ApiError } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { environment } from '../../app/session.ts';
import { t } from '../../app/texts.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { filled } from '../../parts/filled.tsx';
import { Field, Form, type Values } from '../../parts/form.tsx';
import { When } from '../../parts/when.tsx';
import type { DialogProps } from './shown.ts';

type Login = Schema<'TelegramLogin'>;

const ways: Record<Login['sentBy'], string> = {
  get app() {
    return t.accounts.toYourTelegramApp;
  },
  get sms() {
    return t.accounts.bySms;
  },
  get call() {
    return t.accounts.byAPhoneCall;
  },
  get other() {
    return t.accounts.inAWayOfIts;
  },
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
    <Dialog title={t.accounts.logInATelegramUser} onClose={onClose}>
      {login === undefined && (
        <Form key="phone" submit={t.accounts.sendTheCode} onSubmit={begin} onCancel={onClose}>
          {isOver && <p class="note">{t.accounts.thatLoginIsOverBegin}</p>}
          <p class="hint">{t.accounts.step1Of3Telegram}</p>
          <Field
            label={t.common.phone}
            name="phone"
            type="tel"
            required
            maxLength={41}
            autocomplete="tel"
            placeholder="+49 151 23456789"
          />
          <Field label={t.common.name} name="name" maxLength={200} hint={t.accounts.whatTheAccountIsCalled} />
        </Form>
      )}
      {login?.status === 'code_needed' && (
        <Form key="code" submit={t.accounts.continue} onSubmit={enterCode} onCancel={onClose}>
          <p class="hint" role="status">
            {filled(t.accounts.step2Of3It, {
              isSandbox: isSandbox ? t.accounts.inTheSandboxTheCode : t.accounts.theCodeWasSent(ways[login.sentBy]),
              when: <When at={login.expiresAt} />,
            })}
          </p>
          <Field label={t.accounts.code} name="code" required maxLength={100} autocomplete="one-time-code" />
        </Form>
      )}
      {login?.status === 'password_needed' && (
        <Form key="password" submit={t.accounts.logIn} onSubmit={enterPassword} onCancel={onClose}>
          <p class="hint" role="status">
            {t.accounts.step3Of3} {isSandbox ? t.accounts.inTheSandboxThePassword : t.accounts.thisUserHasAPassword}
            {login.passwordHint && t.accounts.telegramsHint(login.passwordHint)}
          </p>
          <Field
            label={t.accounts.password}
            name="password"
            type="password"
            required
            maxLength={1000}
            autocomplete="off"
          />
        </Form>
      )}
    </Dialog>
  );
}
