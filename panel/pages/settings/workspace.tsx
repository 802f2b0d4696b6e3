import { useState } from 'preact/hooks';
import type { paths } from '../../api/schema.ts';
import { api } from '../../app/api.ts';
import { useLoaded } from '../../app/load.ts';
import { countries } from '../../app/locale.ts';
import { current } from '../../app/session.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
import { filled } from '../../parts/filled.tsx';
import { Field, Form, type Values } from '../../parts/form.tsx';
import { Pending } from '../../parts/pending.tsx';
import { When } from '../../parts/when.tsx';
import { isAdmin } from './role.ts';

type Changes = NonNullable<paths['/panel/workspace']['patch']['requestBody']>['content']['application/json'];

/** What the workspace is called, its usual currency, and how it reads dates and phone numbers. */
export function Workspace() {
  const workspace = useLoaded((signal) => api.get('/panel/workspace', { signal }), []);
  const [turn, setTurn] = useState(0);
  const { data, error, reload } = workspace;
  if (!data) return <Pending data={data} error={error} reload={reload} lines={5} />;
  const change = async (body: Changes) => {
    const changed = await api.patch('/panel/workspace', { body });
    workspace.change(() => changed);
    const { name, currency } = changed;
    if (current.value) current.value = { ...current.value, workspace: { ...current.value.workspace, name, currency } };
    setTurn((before) => before + 1);
  };
  const save = async ({ name = '', currency = '', timeZone, country, linkByDomain }: Values) => {
    const { timeZone: zone, country: land, linkByDomain: links } = data;
    const before = {
      name: data.name ?? undefined,
      currency: data.currency,
      timeZone: zone,
      country: land,
      linkByDomain: links,
    };
    await change({
      name,
      currency: currency.toUpperCase(),
      timeZone,
      country: country ?? null,
      linkByDomain: linkByDomain === 'on',
    });
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
          <Field
            label={t.settings.timeZone}
            name="timeZone"
            value={data.timeZone}
            hint={t.settings.timeZoneOfTheWorkspace}
            options={[...new Set(['UTC', data.timeZone ?? 'UTC', ...Intl.supportedValuesOf('timeZone')])].map(
              (zone) => [zone, zone.replaceAll('_', ' ')] as const,
            )}
          />
          <Field
            label={t.settings.country}
            name="country"
            value={data.country}
            hint={t.settings.phoneNumbersWithoutPlus}
            options={[['', '–'], ...countries()]}
          />
          <label class="check">
            <input type="checkbox" name="linkByDomain" defaultChecked={data.linkByDomain} />
            {t.settings.linkByDomain}
          </label>
        </Form>
      ) : (
        <p>{filled(t.settings.anOwnerOrAdminCan, { name: data.name, currency: data.currency })}</p>
      )}
    </div>
  );
}
