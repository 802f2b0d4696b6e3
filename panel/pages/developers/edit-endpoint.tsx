import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { type Channel, channels } from '../../app/channels.ts';
import { useLoaded } from '../../app/load.ts';
import { environment, may } from '../../app/session.ts';
import { t } from '../../app/texts.ts';
import { Checks } from '../../parts/checks.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { type Edit, Field, Form, type Values } from '../../parts/form.tsx';

type Endpoint = Schema<'Endpoint'>;
type Kind = Schema<'EventKind'>;

interface EditEndpointProps {
  /** Undefined for a new one. */
  endpoint?: Endpoint | undefined;
  onSecret?(secret: string): void;
  onDone(): void;
  onClose(): void;
}

const channelOptions = channels.map(([value, text]) => ({ value, text }));

/** Values that no text field has, as one text. */
const listed = (values: Iterable<string>) => [...values].sort().join(', ');

const valuesOf = ({ url, description, eventKinds, filter }: Endpoint): Values => ({
  url,
  description: description ?? undefined,
  eventKinds: listed(eventKinds),
  changedFields: filter?.changedFields?.join(', '),
  filter: listed([...(filter?.channels ?? []), ...(filter?.contactTagIds ?? []).map(String)]) || undefined,
});

/** Reads headers, one a line. Throws for a line that is none. */
function headersIn(text = ''): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const headers = lines.map((line): [string, string] => {
    const [, name, value] = /^\s*([^:\s]+)\s*:\s*(.*\S)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new Error(t.developers.aHeaderIsWrittenAs(line.trim()));
    return [name, value];
  });
  return Object.fromEntries(headers);
}

/** Where events are sent, which, and filtered how. */
export function EditEndpoint({ endpoint, onSecret, onDone, onClose }: EditEndpointProps) {
  const kinds = useLoaded((signal) => api.get('/v1/webhooks/event-kinds', { signal }), []);
  const tags = useLoaded(async (signal) => (may('contacts:read') ? api.get('/v1/tags', { signal }) : undefined), []);
  const [isAll, setAll] = useState(endpoint?.eventKinds.includes('*') ?? true);
  const [chosen, setChosen] = useState<ReadonlySet<Kind>>(
    new Set(endpoint?.eventKinds.filter((kind) => kind !== '*') as Kind[] | undefined),
  );
  const [through, setThrough] = useState<ReadonlySet<Channel>>(new Set(endpoint?.filter?.channels));
  const [tagged, setTagged] = useState<ReadonlySet<string>>(new Set(endpoint?.filter?.contactTagIds?.map(String)));
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set());
  const save = async (
    { url = '', description, changedFields, newHeaders, ownSecret }: Values,
    { only, isChanged, header }: Edit,
  ) => {
    const filter = {
      changedFields: changedFields?.split(/[\s,]+/).filter(Boolean) ?? null,
      channels: through.size > 0 ? [...through] : null,
      contactTagIds: tagged.size > 0 ? [...tagged].map(Number) : null,
    };
    const body = {
      url,
      description: description ?? null,
      eventKinds: isAll ? ['*' as const] : [...chosen],
      filter: Object.values(filter).some((condition) => condition !== null) ? filter : null,
    };
    const headers = { ...Object.fromEntries([...removed].map((name) => [name, null])), ...headersIn(newHeaders) };
    if (endpoint) {
      const isFiltered = isChanged('changedFields') || isChanged('filter');
      const changes = {
        ...only(body),
        ...(isFiltered && { filter: body.filter }),
        ...(Object.keys(headers).length > 0 && { headers }),
      };
      const path = { id: endpoint.id };
      if (Object.keys(changes).length > 0)
        await api.patch('/v1/webhooks/{id}', { params: { path, header }, body: changes });
    } else {
      const own = { headers: headersIn(newHeaders), ownSecret: ownSecret === 'on' };
      const { secret } = await api.post('/v1/webhooks', { body: { ...body, ...own } });
      if (secret !== null) onSecret?.(secret);
    }
    onDone();
    onClose();
  };
  const tagOptions = (tags.data?.items ?? []).map(({ id, name }) => ({ value: String(id), text: name }));
  return (
    <Dialog title={endpoint ? t.developers.editTheEndpoint : t.developers.newEndpoint} onClose={onClose} isWide>
      <Form
        submit={endpoint ? t.common.save : t.developers.createEndpoint}
        of={endpoint && { path: `/v1/webhooks/${endpoint.id}`, valuesOf }}
        onSubmit={save}
        onCancel={onClose}
      >
        <input type="hidden" name="eventKinds" defaultValue={listed(isAll ? ['*'] : chosen)} />
        <input type="hidden" name="filter" defaultValue={listed([...through, ...tagged])} />
        <Field
          label={t.developers.url}
          name="url"
          type="url"
          value={endpoint?.url}
          required
          maxLength={2048}
          placeholder="https://example.com/webhooks"
          hint={environment.value === 'test' ? undefined : t.developers.httpsOnAPublicAddress}
        />
        <Field label={t.common.description} name="description" value={endpoint?.description} maxLength={200} />
        <fieldset class="checks">
          <legend class="label">{t.common.events}</legend>
          <label>
            <input type="radio" name="which" checked={isAll} onChange={() => setAll(true)} />
            <span>{t.developers.allThoseToComeToo}</span>
          </label>
          <label>
            <input type="radio" name="which" checked={!isAll} onChange={() => setAll(false)} />
            <span>{t.developers.onlySomeKinds}</span>
          </label>
        </fieldset>
        {!isAll && (
          <Checks
            legend={t.developers.kinds}
            isLong
            options={(kinds.data?.items ?? []).map(({ kind, description }) => ({
              value: kind,
              text: (
                <>
                  <code>{kind}</code>
                  <span class="hint below">{description}</span>
                </>
              ),
            }))}
            chosen={chosen}
            onChange={(kinds) => setChosen(kinds as ReadonlySet<Kind>)}
          />
        )}
        <details open={endpoint?.filter != null}>
          <summary>{t.developers.filter}</summary>
          <div class="stack inset">
            <p class="hint">{t.developers.whatIsFilteredOutIs}</p>
            <Field
              label={t.developers.onlyWhenOneOfThese}
              name="changedFields"
              value={endpoint?.filter?.changedFields?.join(', ')}
              placeholder="stage, assigned_to_user_id"
            />
            <Checks
              legend={t.developers.onlyOfTheseChannels}
              options={channelOptions}
              chosen={through}
              onChange={setThrough}
            />
            {tagOptions.length > 0 && (
              <Checks
                legend={t.developers.onlyOfContactsWithOne}
                options={tagOptions}
                chosen={tagged}
                onChange={setTagged}
              />
            )}
          </div>
        </details>
        <details open={endpoint !== undefined && endpoint.headers.length > 0}>
          <summary>{t.developers.headers}</summary>
          <div class="stack inset">
            {endpoint && endpoint.headers.length > 0 && (
              <Checks
                legend={t.developers.removeHeaders}
                options={endpoint.headers.map((name) => ({ value: name, text: <code>{name}</code> }))}
                chosen={removed}
                onChange={setRemoved}
              />
            )}
            <Field
              label={t.developers.newHeaders}
              name="newHeaders"
              rows={2}
              autocomplete="off"
              hint={t.developers.newHeadersHint}
            />
          </div>
        </details>
        {!endpoint && (
          <label class="check">
            <input type="checkbox" name="ownSecret" />
            <span>{t.developers.ownSecret}</span>
          </label>
        )}
      </Form>
    </Dialog>
  );
}
