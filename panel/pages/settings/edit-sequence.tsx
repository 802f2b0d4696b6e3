import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import type { ChannelAccount } from '../../app/accounts.ts';
import { api } from '../../app/api.ts';
import { channels } from '../../app/channels.ts';
import { t } from '../../app/texts.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { filled } from '../../parts/filled.tsx';
import { Field, Form, type Values } from '../../parts/form.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { useAccounts } from './accounts.ts';

type Sequence = Schema<'SequenceWithSteps'>;

interface EditSequenceProps {
  /** A draft; undefined for a new one. */
  sequence?: Sequence | undefined;
  onDone(sequence: Sequence): void;
  onClose(): void;
}

const units = () =>
  [
    ['1', t.settings.units.minutes],
    ['60', t.settings.units.hours],
    ['1440', t.settings.units.days],
  ] as const;

/** The largest unit in which a delay is whole. */
const unitOf = (minutes: number) =>
  [...units()].reverse().find(([length]) => minutes % Number(length) === 0)?.[0] ?? '1';

interface Row {
  key: number;
  delayMinutes: number;
  subject: string | null;
  text: string;
}

/** Makes a sequence as a draft, or changes one. */
export function EditSequence(props: EditSequenceProps) {
  const accounts = useAccounts();
  return (
    <Dialog title={props.sequence ? t.settings.editTheSequence : t.settings.newSequence} onClose={props.onClose} isWide>
      {accounts ? <SequenceForm accounts={accounts} {...props} /> : <Skeleton lines={10} />}
    </Dialog>
  );
}

function SequenceForm({
  sequence,
  accounts,
  onDone,
  onClose,
}: EditSequenceProps & { accounts: readonly ChannelAccount[] }) {
  const [channel, setChannel] = useState<Schema<'Channel'>>(sequence?.channel ?? 'telegram');
  const [rows, setRows] = useState<readonly Row[]>(
    sequence?.steps.map(({ id, ...step }) => ({ ...step, key: id })) ?? [
      { key: 1, delayMinutes: 0, subject: null, text: '' },
    ],
  );
  const save = async (values: Values) => {
    const steps = rows.map(({ key }) => ({
      delayMinutes: Number(values[`delay-${key}`] ?? 0) * Number(values[`unit-${key}`] ?? 1),
      subject: values[`subject-${key}`] ?? null,
      text: values[`text-${key}`] ?? '',
    }));
    const name = values['name'] ?? '';
    const accountId = values['accountId'] === undefined ? null : Number(values['accountId']);
    const saved = sequence
      ? await api.patch('/panel/sequences/{id}', {
          params: { path: { id: sequence.id } },
          body: { name, accountId, steps },
        })
      : await api.post('/panel/sequences', { body: { name, channel, accountId, steps, status: 'draft' } });
    onClose();
    onDone(saved);
  };
  const add = () =>
    setRows([
      ...rows,
      { key: Math.max(0, ...rows.map(({ key }) => key)) + 1, delayMinutes: 2 * 1440, subject: null, text: '' },
    ]);
  const fitting = accounts.filter((account) => account.channel === channel);
  return (
    <Form submit={sequence ? t.common.save : t.common.createDraft} onSubmit={save} onCancel={onClose}>
      <Field label={t.common.name} name="name" value={sequence?.name} required maxLength={200} />
      <div class="two">
        {!sequence && (
          <div onChange={(event) => setChannel((event.target as HTMLSelectElement).value as Schema<'Channel'>)}>
            <Field label={t.common.channel} name="channel" value={channel} options={channels} />
          </div>
        )}
        {channel !== 'email' && (
          <Field
            key={channel}
            label={t.settings.account}
            name="accountId"
            value={sequence?.accountId}
            required
            hint={fitting.length === 0 ? t.settings.connectAnAccountOfThis : undefined}
            options={fitting.map(({ id, name }) => [id, name])}
          />
        )}
      </div>
      <ol class="plain stack">
        {rows.map(({ key, delayMinutes, subject, text }, at) => (
          <li key={key} class="step">
            <fieldset class="stack">
              <legend class="label">{filled(t.settings.step, { at: at + 1 })}</legend>
              <div class="wait">
                <Field
                  label={t.settings.wait}
                  name={`delay-${key}`}
                  type="number"
                  min={0}
                  step={1}
                  required
                  value={delayMinutes / Number(unitOf(delayMinutes))}
                />
                <Field label={t.settings.unit} name={`unit-${key}`} value={unitOf(delayMinutes)} options={units()} />
                {rows.length > 1 && (
                  <button
                    type="button"
                    aria-label={t.settings.removeStep(at + 1)}
                    onClick={() => setRows(rows.filter((row) => row.key !== key))}
                  >
                    {t.settings.remove}
                  </button>
                )}
              </div>
              {channel === 'email' && (
                <Field
                  label={t.common.subject}
                  name={`subject-${key}`}
                  required
                  maxLength={500}
                  value={subject ?? ''}
                />
              )}
              <Field label={t.settings.text} name={`text-${key}`} rows={3} required maxLength={4000} value={text} />
            </fieldset>
          </li>
        ))}
      </ol>
      <div>
        <button type="button" onClick={add}>
          {t.settings.addAStep}
        </button>
      </div>
    </Form>
  );
}
