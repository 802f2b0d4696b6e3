import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { current, may } from '../../app/session.ts';
import { counted, money } from '../../app/show.ts';
import { attempt } from '../../app/toasts.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Field, Form, type Values } from '../../parts/form.tsx';
import { Pending } from '../../parts/pending.tsx';
import { When } from '../../parts/when.tsx';

type Source = Schema<'RevenueSource'>;

const states: Record<Source['lastSyncStatus'], readonly [string, Tone]> = {
  never: ['Not read yet', 'plain'],
  running: ['Is being read', 'accent'],
  ok: ['In order', 'good'],
  failed: ['Failed', 'bad'],
};

export function RevenueSources() {
  const sources = useLoaded(
    (signal) => api.get('/v1/finance/revenue-sources', { signal }),
    [],
    touching('revenue_source', 'transaction'),
  );
  const [open, setOpen] = useState<Source | 'new'>();
  const { data, error, reload } = sources;
  const show = (id: number, isActive: boolean) =>
    sources.change((before) => ({
      ...before,
      items: before.items.map((source) => (source.id === id ? { ...source, isActive } : source)),
    }));
  const pause = async ({ id, name }: Source) => {
    show(id, false);
    const params = { path: { id } };
    const done = await attempt(() => api.post('/panel/revenue-sources/{id}/pause', { params, body: {} }), {
      said: `“${name}” is paused.`,
      takeBack: () => show(id, true),
    });
    if (done) reload();
  };
  return (
    <>
      {may('finance:write') && (
        <div class="actions end filters">
          <button type="button" class="primary" data-new onClick={() => setOpen('new')}>
            New revenue source
          </button>
        </div>
      )}
      <Pending data={data} error={error} reload={reload} lines={4} />
      {data?.items.length === 0 && (
        <Empty title="No revenue sources">
          <p>A shop or payment provider whose feed of payments is read and booked as income.</p>
        </Empty>
      )}
      <ul class="plain">
        {data?.items.map((source) => (
          <li key={source.id} class="card">
            <div class="row">
              <div>
                <h2>{source.name}</h2>
                <p class="hint">{source.feedUrl}</p>
              </div>
              <div class="actions">
                {source.isActive ? (
                  <Badge tone={states[source.lastSyncStatus][1]}>{states[source.lastSyncStatus][0]}</Badge>
                ) : (
                  <Badge>Paused</Badge>
                )}
                {may('finance:write') && (
                  <>
                    <button type="button" class="small" onClick={() => setOpen(source)}>
                      {source.isActive ? 'Change credential' : 'Connect'}
                    </button>
                    {source.isActive && (
                      <button type="button" class="small" onClick={() => pause(source)}>
                        Pause
                      </button>
                    )}
                  </>
                )}
              </div>
            </div>
            {source.lastSyncError && <p class="problem">{source.lastSyncError}</p>}
            <dl class="facts">
              <div>
                <dt>Booked so far</dt>
                <dd>{money(source.totalIngested, source.defaultCurrency)}</dd>
              </div>
              <div>
                <dt>{source.mode === 'pull' ? 'Read every' : 'Comes by'}</dt>
                <dd>{source.mode === 'pull' ? counted(source.pullIntervalMinutes, 'minute') : 'Push'}</dd>
              </div>
              <div>
                <dt>Last read</dt>
                <dd>{source.lastSyncAt ? <When at={source.lastSyncAt} /> : '–'}</dd>
              </div>
              <div>
                <dt>Next</dt>
                <dd>{source.isActive && source.nextRunAt ? <When at={source.nextRunAt} /> : '–'}</dd>
              </div>
            </dl>
          </li>
        ))}
      </ul>
      {open === 'new' && <NewSource onDone={reload} onClose={() => setOpen(undefined)} />}
      {open && open !== 'new' && <Connect source={open} onDone={reload} onClose={() => setOpen(undefined)} />}
    </>
  );
}

interface DialogProps {
  onDone(): void;
  onClose(): void;
}

const secretHint = 'Sent as a bearer token, kept encrypted. Empty for a feed that needs none.';

function NewSource({ onDone, onClose }: DialogProps) {
  const create = async ({
    name = '',
    mode,
    feedUrl = '',
    defaultCurrency = '',
    pullIntervalMinutes,
    credential,
  }: Values) => {
    await api.post('/panel/revenue-sources', {
      body: {
        name,
        mode: mode as Source['mode'],
        feedUrl,
        defaultCurrency: defaultCurrency.toUpperCase(),
        pullIntervalMinutes: Number(pullIntervalMinutes),
        credential: credential ?? null,
      },
    });
    onDone();
    onClose();
  };
  return (
    <Dialog title="New revenue source" onClose={onClose}>
      <Form submit="Create revenue source" onSubmit={create} onCancel={onClose}>
        <Field label="Name" name="name" required maxLength={200} />
        <Field label="Feed URL" name="feedUrl" type="url" required maxLength={2048} />
        <div class="two">
          <Field
            label="Mode"
            name="mode"
            options={[
              ['pull', 'We read it'],
              ['push', 'It is sent to us'],
            ]}
          />
          <Field
            label="Minutes between reads"
            name="pullIntervalMinutes"
            type="number"
            min={1}
            max={43_200}
            step={1}
            value={60}
            required
          />
          <Field
            label="Currency"
            name="defaultCurrency"
            value={current.value?.workspace.currency}
            required
            maxLength={3}
            hint="Of payments that name none"
          />
        </div>
        <Field label="Credential" name="credential" type="password" autocomplete="off" hint={secretHint} />
      </Form>
    </Dialog>
  );
}

function Connect({ source: { id, name }, onDone, onClose }: DialogProps & { source: Source }) {
  const connect = async ({ credential }: Values) => {
    await api.post('/panel/revenue-sources/{id}/connect', {
      params: { path: { id } },
      body: { credential: credential ?? null },
    });
    onDone();
    onClose();
  };
  return (
    <Dialog title={`Connect “${name}”`} onClose={onClose}>
      <Form submit="Connect" onSubmit={connect} onCancel={onClose}>
        <Field label="Credential" name="credential" type="password" autocomplete="off" hint={secretHint} />
      </Form>
    </Dialog>
  );
}
