import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { channelNames } from '../../app/channels.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { may } from '../../app/session.ts';
import { count, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
import { Badge } from '../../parts/badge.tsx';
import { ContactField } from '../../parts/contact-field.tsx';
import { contactIn } from '../../parts/contact-text.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { filled } from '../../parts/filled.tsx';
import { Field, Form, type Values } from '../../parts/form.tsx';
import { Pending } from '../../parts/pending.tsx';
import { EditAgent } from './edit-agent.tsx';

type Agent = Schema<'Agent'>;

export function Agents() {
  const agents = useLoaded(
    (signal) => api.get('/v1/agents', { signal, params: { query: { limit: 100 } } }),
    [],
    touching('agent'),
  );
  const [open, setOpen] = useState<'new' | { of: 'edit' | 'test'; agent: Agent }>();
  const { data, error, reload } = agents;
  const close = () => setOpen(undefined);
  const show = (id: number, status: Agent['status']) =>
    agents.change((before) => ({
      ...before,
      items: before.items.map((agent) => (agent.id === id ? { ...agent, status } : agent)),
    }));
  const setStatus = (id: number, status: Agent['status']) =>
    api.patch('/panel/agents/{id}', { params: { path: { id } }, body: { status } });
  const turn = async ({ id, name, status }: Agent) => {
    const to = status === 'active' ? 'disabled' : 'active';
    show(id, to);
    await attempt(() => setStatus(id, to), {
      said: t.settings.is(name, worded(to)),
      undo: async () => {
        await setStatus(id, status);
        reload();
      },
      takeBack: () => show(id, status),
    });
  };
  return (
    <>
      {may('agents:run') && (
        <div class="actions end filters">
          <button type="button" class="primary" data-new onClick={() => setOpen('new')}>
            {t.settings.newAgent}
          </button>
        </div>
      )}
      <Pending data={data} error={error} reload={reload} lines={4} />
      {data?.items.length === 0 && (
        <Empty title={t.settings.noAgentsYet}>
          <p>{t.settings.anAgentDraftsAnswersBy}</p>
        </Empty>
      )}
      <ul class="plain">
        {data?.items.map((agent) => (
          <li key={agent.id} class="card">
            <div class="row">
              <div>
                <h2>{agent.name}</h2>
                <p class="hint belongs">
                  <span>{agent.channels.map((channel) => channelNames[channel]).join(', ')}</span>
                  <span>{agent.model}</span>
                  {agent.language && <span>{agent.language}</span>}
                  {agent.handoffEnabled && <span>{t.settings.handsOffToPeople}</span>}
                </p>
              </div>
              <div class="actions">
                <Badge tone={agent.status === 'active' ? 'good' : 'plain'}>
                  {agent.status === 'active' ? t.settings.active : t.settings.disabled}
                </Badge>
                {may('agents:run') && (
                  <>
                    <button
                      type="button"
                      class="small"
                      aria-label={t.settings.try(agent.name)}
                      onClick={() => setOpen({ of: 'test', agent })}
                    >
                      {t.settings.try2}
                    </button>
                    <button
                      type="button"
                      class="small"
                      aria-label={t.common.editName(agent.name)}
                      onClick={() => setOpen({ of: 'edit', agent })}
                    >
                      {t.common.edit}
                    </button>
                    <button
                      type="button"
                      class="small"
                      aria-label={`${agent.status === 'active' ? t.settings.disable : t.settings.enable} ${agent.name}`}
                      onClick={() => turn(agent)}
                    >
                      {agent.status === 'active' ? t.settings.disable : t.settings.enable}
                    </button>
                  </>
                )}
              </div>
            </div>
            {agent.description && <p>{agent.description}</p>}
          </li>
        ))}
      </ul>
      {open === 'new' && <EditAgent onDone={reload} onClose={close} />}
      {typeof open === 'object' && open.of === 'edit' && (
        <EditAgent agent={open.agent} onDone={reload} onClose={close} />
      )}
      {typeof open === 'object' && open.of === 'test' && <TryAgent agent={open.agent} onClose={close} />}
    </>
  );
}

/** Lets the agent answer a message, which is not sent. */
function TryAgent({ agent: { id, name, status }, onClose }: { agent: Agent; onClose(): void }) {
  const [answer, setAnswer] = useState<Schema<'AgentTestRunAnswer'>>();
  const run = async ({ message = '', contactId }: Values) => {
    setAnswer(undefined);
    const body = { message, contactId: contactIn(contactId) };
    setAnswer(await api.post('/v1/agents/{id}/test-run', { params: { path: { id } }, body }));
  };
  return (
    <Dialog title={t.settings.try(name)} onClose={onClose}>
      <Form submit={t.settings.draftAnAnswer} onSubmit={run}>
        <p class="hint">
          {filled(t.settings.nothingIsSent, {
            status: status === 'disabled' ? t.settings.aDisabledAgentCannotBe : t.settings.andNothingIsKept,
          })}
        </p>
        <Field label={t.settings.whatTheContactWrites} name="message" rows={3} required maxLength={4000} />
        <ContactField label={t.settings.asThisContact} />
      </Form>
      <div role="status">
        {answer && (
          <div class="answer stack">
            <p class="notes">{answer.draft}</p>
            {answer.wouldHandOff && (
              <p class="note">{filled(t.settings.itWouldHandOffTo, { handOffReason: answer.handOffReason })}</p>
            )}
            <p class="hint">
              {filled(t.settings.tokensInOutMs, {
                model: answer.model,
                inputTokens: count(answer.inputTokens),
                outputTokens: count(answer.outputTokens),
                durationMs: count(answer.durationMs),
              })}
            </p>
          </div>
        )}
      </div>
    </Dialog>
  );
}
