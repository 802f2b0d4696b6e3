import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { channels as allChannels } from '../../app/channels.ts';
import { useLoaded } from '../../app/load.ts';
import { t } from '../../app/texts.ts';
import { Checks } from '../../parts/checks.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Field, Form, type Values } from '../../parts/form.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { useAccounts } from './accounts.ts';

type Agent = Schema<'AgentWithInstructions'>;

interface DialogProps {
  onDone(): void;
  onClose(): void;
}

/** Makes an agent, or changes one, whose instructions are read first. */
export function EditAgent({ agent, ...dialog }: DialogProps & { agent?: Pick<Agent, 'id'> | undefined }) {
  const whole = useLoaded(
    async (signal) =>
      agent ? { agent: await api.get('/v1/agents/{id}', { signal, params: { path: { id: agent.id } } }) } : {},
    [],
  );
  const { data, error, reload } = whole;
  return (
    <Dialog title={agent ? t.settings.editTheAgent : t.settings.newAgent} onClose={dialog.onClose} isWide>
      {data ? (
        <AgentForm agent={data.agent} {...dialog} />
      ) : error === undefined ? (
        <Skeleton lines={10} />
      ) : (
        <Failure error={error} again={reload} />
      )}
    </Dialog>
  );
}

function AgentForm({ agent, onDone, onClose }: DialogProps & { agent?: Agent | undefined }) {
  const accounts = useAccounts() ?? [];
  const [channels, setChannels] = useState<ReadonlySet<Schema<'Channel'>>>(new Set(agent?.channels ?? ['telegram']));
  const [accountIds, setAccountIds] = useState<ReadonlySet<string>>(new Set(agent?.accountIds.map(String)));
  const save = async ({ name = '', description, instructions = '', model = '', language, handoff }: Values) => {
    const body = {
      name,
      description: description ?? null,
      instructions,
      model,
      language: language ?? null,
      handoffEnabled: handoff === 'true',
      channels: [...channels],
      accountIds: [...accountIds].map(Number),
    };
    await (agent
      ? api.patch('/panel/agents/{id}', { params: { path: { id: agent.id } }, body })
      : api.post('/panel/agents', { body }));
    onDone();
    onClose();
  };
  const fitting = accounts.filter(({ channel }) => channels.has(channel));
  return (
    <Form submit={agent ? t.common.save : t.settings.createAgent} onSubmit={save} onCancel={onClose}>
      <Field label={t.common.name} name="name" value={agent?.name} required maxLength={200} />
      <Field label={t.common.description} name="description" value={agent?.description} maxLength={1000} />
      <Field
        label={t.settings.instructions}
        name="instructions"
        rows={6}
        value={agent?.instructions}
        required
        maxLength={20_000}
        hint={t.settings.howItAnswersWhatIt}
      />
      <div class="two">
        <Field
          label={t.settings.model}
          name="model"
          value={agent?.model ?? 'amazon.nova-lite-v1:0'}
          required
          maxLength={200}
          hint={t.settings.theIdOfAnAmazon}
        />
        <Field
          label={t.settings.language}
          name="language"
          value={agent?.language}
          maxLength={35}
          placeholder={t.settings.theContacts}
        />
        <Field
          label={t.settings.handOffToPeople}
          name="handoff"
          value={String(agent?.handoffEnabled ?? true)}
          options={[
            ['true', t.settings.whenItCannotHelp],
            ['false', t.common.never],
          ]}
        />
      </div>
      <Checks
        legend={t.settings.channels}
        options={allChannels.map(([value, text]) => ({ value, text }))}
        chosen={channels}
        onChange={setChannels}
      />
      {fitting.length > 0 && (
        <Checks
          legend={t.common.accounts}
          hint={t.settings.noneChosenAllOfThese}
          options={fitting.map(({ id, name }) => ({ value: String(id), text: name }))}
          chosen={accountIds}
          onChange={setAccountIds}
        />
      )}
    </Form>
  );
}
