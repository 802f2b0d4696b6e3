import type { Schema } from '../../../client/index.ts';
import { messaging } from '../../api/lists.ts';
import type { ChannelAccount } from '../../app/accounts.ts';
import { api } from '../../app/api.ts';
import type { PlatformThat } from '../../app/channels.ts';
import { count } from '../../app/show.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field, Form, type Values } from '../../parts/form.tsx';
import { type DialogProps, kindOf } from './shown.ts';

type AccountProps = DialogProps & { account: ChannelAccount };

const modes: readonly (readonly [Schema<'InboundMode'>, string])[] = [
  ['webhook', 'Webhook'],
  ['polling', 'Polling'],
  ['off', 'Off'],
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
  const offered = modes.filter(([mode]) => ways[kind]?.includes(mode));
  return (
    <Dialog title={`Edit ${name}`} onClose={onClose}>
      <Form submit="Save" onSubmit={save} onCancel={onClose}>
        <Field label="Name" name="name" value={name} required maxLength={200} />
        <div class="two">
          <Field
            label="Daily limit"
            name="dailyLimit"
            type="number"
            value={dailyLimit}
            min={1}
            max={1_000_000}
            step={1}
            required
          />
          <Field label="Receives by" name="inbound" value={inbound.mode} options={offered} />
        </div>
        <fieldset class="stack">
          <legend class="label">Pace</legend>
          <p class="hint">What is left empty is the channel's usual.</p>
          <div class="two">
            <Field
              label="Seconds between messages"
              name="gap"
              type="number"
              value={pacing.gapMs / 1000}
              min={0}
              max={3600}
              step="any"
            />
            <Field
              label="Seconds to the same contact"
              name="peerGap"
              type="number"
              value={pacing.peerGapMs / 1000}
              min={0}
              max={3600}
              step="any"
            />
            <Field
              label="Messages a minute"
              name="perMinute"
              type="number"
              value={pacing.perMinute}
              min={1}
              max={100_000}
              step={1}
            />
            <Field
              label="New contacts a day"
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
    title={`Disconnect ${account.name}?`}
    action="Disconnect"
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
      The {kindOf(account)} receives and sends no more, and its secret is erased.
      {account.queuedCount > 0 && ` ${count(account.queuedCount)} messages wait until it is connected again.`}
    </p>
  </Confirm>
);
