import type { ChannelAccount } from '../../app/accounts.ts';
import { api } from '../../app/api.ts';
import { environment } from '../../app/session.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Field, Form, type Values } from '../../parts/form.tsx';
import type { DialogProps } from './shown.ts';

const TokenField = () => (
  <Field
    label="Bot token"
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
    <Dialog title="Connect a Telegram bot" onClose={onClose}>
      <Form submit="Connect" onSubmit={connect} onCancel={onClose}>
        {environment.value === 'test' ? (
          <p class="hint">
            In the sandbox nothing is asked at Telegram: any token that begins with <code>test_</code> makes an account
            to try.
          </p>
        ) : (
          <p class="hint">
            Write to{' '}
            <a href="https://t.me/BotFather" target="_blank" rel="noreferrer">
              @BotFather
            </a>{' '}
            in Telegram, send <code>/newbot</code>, and paste the token that it answers with. To try without Telegram,
            switch to the sandbox above.
          </p>
        )}
        <TokenField />
        <div class="two">
          <Field label="Name" name="name" maxLength={200} placeholder="The bot's own" />
          <Field label="Daily limit" name="dailyLimit" type="number" min={1} max={1_000_000} step={1} />
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
    <Dialog title={`A new token for ${name}`} onClose={onClose}>
      <Form submit="Connect" onSubmit={connect} onCancel={onClose}>
        <p class="hint">It must be of the same bot.</p>
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
    <Dialog title="Connect X" onClose={onClose}>
      <Form submit="Connect" onSubmit={connect} onCancel={onClose}>
        <p class="hint">
          {environment.value === 'test' ? (
            <>
              In the sandbox nothing is asked at X: a token that begins with <code>test_</code> makes an account to try.
            </>
          ) : (
            'With a refresh token and the client id the connection renews itself; an access token alone ends after two hours.'
          )}
        </p>
        <Field label="Access token" name="accessToken" type="password" required maxLength={500} autocomplete="off" />
        <Field label="Refresh token" name="refreshToken" type="password" maxLength={500} autocomplete="off" />
        <div class="two">
          <Field label="Client id" name="clientId" maxLength={200} autocomplete="off" />
          <Field label="Client secret" name="clientSecret" type="password" maxLength={200} autocomplete="off" />
          <Field label="Name" name="name" maxLength={200} />
          <Field label="Daily limit" name="dailyLimit" type="number" min={1} max={1_000_000} step={1} />
        </div>
      </Form>
    </Dialog>
  );
}
