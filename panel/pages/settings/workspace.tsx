import { useState } from 'preact/hooks';
import { api } from '../../app/api.ts';
import { useLoaded } from '../../app/load.ts';
import { current } from '../../app/session.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
import { filled } from '../../parts/filled.tsx';
import { Field, Form, type Values } from '../../parts/form.tsx';
import { Pending } from '../../parts/pending.tsx';
import { When } from '../../parts/when.tsx';
import { isAdmin } from './role.ts';

/** What the workspace is called, and its usual currency. */
export function Workspace() {
  const workspace = useLoaded((signal) => api.get('/panel/workspace', { signal }), []);
  const [turn, setTurn] = useState(0);
  const { data, error, reload } = workspace;
  if (!data) return <Pending data={data} error={error} reload={reload} lines={5} />;
  const change = async (body: { name?: string; currency?: string }) => {
    const changed = await api.patch('/panel/workspace', { body });
    workspace.change(() => changed);
    const { name, currency } = changed;
    if (current.value) current.value = { ...current.value, workspace: { ...current.value.workspace, name, currency } };
    setTurn((before) => before + 1);
  };
  const save = async ({ name = '', currency = '' }: Values) => {
    const before = { name: data.name ?? undefined, currency: data.currency };
    await change({ name, currency: currency.toUpperCase() });
    await attempt(async () => {}, { said: t.settings.theWorkspaceIsChanged, undo: () => change(before) });
  };
  return (
    <div class="card narrow">
      <dl class="facts">
        <div>
          <dt>{t.settings.workspaceId}</dt>
          <dd>{data.id}</dd>
        </div>
        <div>
          <dt>{t.common.eMail}</dt>
          <dd>{data.email}</dd>
        </div>
        <div>
          <dt>{t.common.created}</dt>
          <dd>
            <When at={data.createdAt} />
          </dd>
        </div>
      </dl>
      {isAdmin() ? (
        <Form key={turn} submit={t.common.save} onSubmit={save}>
          <Field label={t.common.name} name="name" value={data.name} required maxLength={200} />
          <Field
            label={t.common.currency}
            name="currency"
            value={data.currency}
            required
            maxLength={3}
            hint={t.settings.threeLettersLikeEurTaken}
          />
        </Form>
      ) : (
        <p>{filled(t.settings.anOwnerOrAdminCan, { name: data.name, currency: data.currency })}</p>
      )}
    </div>
  );
}
