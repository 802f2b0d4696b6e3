import type { ChannelAccount } from '../../app/accounts.ts';
import { api } from '../../app/api.ts';
import { environment } from '../../app/session.ts';
import { t } from '../../app/texts.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { filled } from '../../parts/filled.tsx';
import { Field, Form, type Values } from '../../parts/form.tsx';
import type { DialogProps } from './shown.ts';

const TokenField = () => (
  <Field
    label={t.accounts.botToken}
    name="botToken"
    required
    maxLength={200}
    autocomplete="off"
    placeholder={environment.value === 'test' ? 'test_my_bot' : '123456789:AA…'}
  />
);

const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text));

export function ConnectBot({ onDone, onClose }: DialogProps) {
  const connect = async ({ botToken = '', name, dailyLimit }: Values) => {
    await api.post('/v1/telegram/accounts', {
      body: { kind: 'bot', botToken, name, dailyLimit: numberOf(dailyLimit) },
    });
    onDone();
    onClose();
  };
  return (
    <Dialog title={t.accounts.connectATelegramBot} onClose={onClose}>
      <Form submit={t.common.connect} onSubmit={connect} onCancel={onClose}>
        {environment.value === 'test' ? (
          <p class="hint">{filled(t.accounts.inTheSandboxNothingIs, { code: <code>test_</code> })}</p>
        ) : (
          <p class="hint">
            {filled(t.accounts.writeToInTelegramSend, {
              a: (
                <a href="https://t.me/BotFather" target="_blank" rel="noreferrer">
                  @BotFather
                </a>
              ),
              code: <code>/newbot</code>,
            })}
          </p>
        )}
        <TokenField />
        <div class="two">
          <Field label={t.common.name} name="name" maxLength={200} placeholder={t.accounts.theBotsOwn} />
          <Field label={t.accounts.dailyLimit} name="dailyLimit" type="number" min={1} max={1_000_000} step={1} />
        </div>
      </Form>
    </Dialog>
  );
}

/** A new token of a bot that is known. */
export function RenewBot({ account: { id, name }, onDone, onClose }: DialogProps & { account: ChannelAccount }) {
  const connect = async ({ botToken = '' }: Values) => {
    await api.post('/v1/telegram/accounts/{id}/connect', { params: { path: { id } }, body: { botToken } });
    onDone();
    onClose();
  };
  return (
    <Dialog title={t.accounts.aNewTokenFor(name)} onClose={onClose}>
      <Form submit={t.common.connect} onSubmit={connect} onCancel={onClose}>
        <p class="hint">{t.accounts.itMustBeOfThe}</p>
        <TokenField />
      </Form>
    </Dialog>
  );
}

export function ConnectX({ onDone, onClose }: DialogProps) {
  const connect = async ({ accessToken = '', refreshToken, clientId, clientSecret, name, dailyLimit }: Values) => {
    const body = { accessToken, refreshToken, clientId, clientSecret, name, dailyLimit: numberOf(dailyLimit) };
    await api.post('/v1/twitter/accounts', { body });
    onDone();
    onClose();
  };
  return (
    <Dialog title={t.accounts.connectX} onClose={onClose}>
      <Form submit={t.common.connect} onSubmit={connect} onCancel={onClose}>
        <p class="hint">
          {environment.value === 'test'
            ? filled(t.accounts.inTheSandboxNothingIsCode, { code: <code>test_</code> })
            : t.accounts.withARefreshTokenAnd}
        </p>
        <Field
          label={t.accounts.accessToken}
          name="accessToken"
          type="password"
          required
          maxLength={500}
          autocomplete="off"
        />
        <Field label={t.accounts.refreshToken} name="refreshToken" type="password" maxLength={500} autocomplete="off" />
        <div class="two">
          <Field label={t.accounts.clientId} name="clientId" maxLength={200} autocomplete="off" />
          <Field
            label={t.accounts.clientSecret}
            name="clientSecret"
            type="password"
            maxLength={200}
            autocomplete="off"
          />
          <Field label={t.common.name} name="name" maxLength={200} />
          <Field label={t.accounts.dailyLimit} name="dailyLimit" type="number" min={1} max={1_000_000} step={1} />
        </div>
      </Form>
    </Dialog>
  );
}
