import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import type { ChannelAccount } from '../../app/accounts.ts';
import { api } from '../../app/api.ts';
import { channels } from '../../app/channels.ts';
import { Dialog } from '../../parts/dialog.tsx';
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

const units = [
  ['1', 'minutes'],
  ['60', 'hours'],
  ['1440', 'days'],
] as const;

/** The largest unit in which a delay is whole. */
const unitOf = (minutes: number) => [...units].reverse().find(([length]) => minutes % Number(length) === 0)?.[0] ?? '1';

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
    <Dialog title={props.sequence ? 'Edit the sequence' : 'New sequence'} onClose={props.onClose} isWide>
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
    <Form submit={sequence ? 'Save' : 'Create draft'} onSubmit={save} onCancel={onClose}>
      <Field label="Name" name="name" value={sequence?.name} required maxLength={200} />
      <div class="two">
        {!sequence && (
          <div onChange={(event) => setChannel((event.target as HTMLSelectElement).value as Schema<'Channel'>)}>
            <Field label="Channel" name="channel" value={channel} options={channels} />
          </div>
        )}
        {channel !== 'email' && (
          <Field
            key={channel}
            label="Account"
            name="accountId"
            value={sequence?.accountId}
            required
            hint={fitting.length === 0 ? 'Connect an account of this channel first.' : undefined}
            options={fitting.map(({ id, name }) => [id, name])}
          />
        )}
      </div>
      <ol class="plain stack">
        {rows.map(({ key, delayMinutes, subject, text }, at) => (
          <li key={key} class="step">
            <fieldset class="stack">
              <legend class="label">Step {at + 1}</legend>
              <div class="wait">
                <Field
                  label="Wait"
                  name={`delay-${key}`}
                  type="number"
                  min={0}
                  step={1}
                  required
                  value={delayMinutes / Number(unitOf(delayMinutes))}
                />
                <Field label="Unit" name={`unit-${key}`} value={unitOf(delayMinutes)} options={units} />
                {rows.length > 1 && (
                  <button
                    type="button"
                    aria-label={`Remove step ${at + 1}`}
                    onClick={() => setRows(rows.filter((row) => row.key !== key))}
                  >
                    Remove
                  </button>
                )}
              </div>
              {channel === 'email' && (
                <Field label="Subject" name={`subject-${key}`} required maxLength={500} value={subject ?? ''} />
              )}
              <Field label="Text" name={`text-${key}`} rows={3} required maxLength={4000} value={text} />
            </fieldset>
          </li>
        ))}
      </ol>
      <div>
        <button type="button" onClick={add}>
          Add a step
        </button>
      </div>
    </Form>
  );
}
