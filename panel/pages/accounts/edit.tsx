import type { Schema } from '../../../client/index.ts';
import { messaging } from '../../api/lists.ts';
import type { ChannelAccount } from '../../app/accounts.ts';
import { api } from '../../app/api.ts';
import type { PlatformThat } from '../../app/channels.ts';
import { count } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { filled } from '../../parts/filled.tsx';
import { Field, Form, type Values } from '../../parts/form.tsx';
import { type DialogProps, kindOf } from './shown.ts';

type AccountProps = DialogProps & { account: ChannelAccount };

const modes = (): readonly (readonly [Schema<'InboundMode'>, string])[] => [
  ['webhook', t.accounts.webhook],
  ['polling', t.accounts.polling],
  ['off', t.common.off],
];

const numberOrNone = (text: string | undefined) => (text === undefined ? null : Number(text));
const msOf = (seconds: string | undefined) => (seconds === undefined ? null : Math.round(Number(seconds) * 1000));

/** Name, limit, pace and how messages come in. */
export function EditAccount({ account, onDone, onClose }: AccountProps) {
  const { id, channel, kind, name, dailyLimit, pacing, inbound } = account;
  const save = async (values: Values) => {
    const body = {
      name: values['name'],
      dailyLimit: Number(values['dailyLimit']),
      pacing: {
        gapMs: msOf(values['gap']),
        peerGapMs: msOf(values['peerGap']),
        perMinute: numberOrNone(values['perMinute']),
        newPeersPerDay: numberOrNone(values['newPeersPerDay']),
      },
      ...(values['inbound'] !== inbound.mode && { inbound: values['inbound'] as Schema<'InboundMode'> }),
    };
    const params = { path: { id } };
    await api.patch(`/v1/${channel as PlatformThat<'isChanged'>}/accounts/{id}`, { params, body });
    onDone();
    onClose();
  };
  const ways: Partial<Record<string, readonly string[]>> = messaging[channel].inbound;
  const offered = modes().filter(([mode]) => ways[kind]?.includes(mode));
  return (
    <Dialog title={t.common.editName(name)} onClose={onClose}>
      <Form submit={t.common.save} onSubmit={save} onCancel={onClose}>
        <Field label={t.common.name} name="name" value={name} required maxLength={200} />
        <div class="two">
          <Field
            label={t.accounts.dailyLimit}
            name="dailyLimit"
            type="number"
            value={dailyLimit}
            min={1}
            max={1_000_000}
            step={1}
            required
          />
          <Field label={t.accounts.receivesBy} name="inbound" value={inbound.mode} options={offered} />
        </div>
        <fieldset class="stack">
          <legend class="label">{t.accounts.pace}</legend>
          <p class="hint">{t.accounts.whatIsLeftEmptyIs}</p>
          <div class="two">
            <Field
              label={t.accounts.secondsBetweenMessages}
              name="gap"
              type="number"
              value={pacing.gapMs / 1000}
              min={0}
              max={3600}
              step="any"
            />
            <Field
              label={t.accounts.secondsToTheSameContact}
              name="peerGap"
              type="number"
              value={pacing.peerGapMs / 1000}
              min={0}
              max={3600}
              step="any"
            />
            <Field
              label={t.accounts.messagesAMinute}
              name="perMinute"
              type="number"
              value={pacing.perMinute}
              min={1}
              max={100_000}
              step={1}
            />
            <Field
              label={t.accounts.newContactsADay2}
              name="newPeersPerDay"
              type="number"
              value={pacing.newPeersPerDay}
              min={0}
              max={100_000}
              step={1}
            />
          </div>
        </fieldset>
      </Form>
    </Dialog>
  );
}

export const Disconnect = ({ account, onDone, onClose }: AccountProps) => (
  <Confirm
    title={t.accounts.disconnectName(account.name)}
    action={t.accounts.disconnect}
    isDangerous
    onClose={onClose}
    onConfirm={async () => {
      const params = { path: { id: account.id } };
      const channel = account.channel as PlatformThat<'isDisconnected'>;
      await api.post(`/v1/${channel}/accounts/{id}/disconnect`, { params });
      onDone();
    }}
  >
    <p>
      {filled(t.accounts.theReceivesAndSendsNo, { account: kindOf(account) })}
      {account.queuedCount > 0 && t.accounts.messagesWaitUntilItIs(count(account.queuedCount))}
    </p>
  </Confirm>
);
