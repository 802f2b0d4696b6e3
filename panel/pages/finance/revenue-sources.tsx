import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { current, may } from '../../app/session.ts';
import { counted, money } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Field, Form, type Values } from '../../parts/form.tsx';
import { Pending } from '../../parts/pending.tsx';
import { When } from '../../parts/when.tsx';

type Source = Schema<'RevenueSource'>;

const states: Record<Source['lastSyncStatus'], readonly [string, Tone]> = {
  get never(): readonly [string, Tone] {
    return [t.finance.notReadYet, 'plain'];
  },
  get running(): readonly [string, Tone] {
    return [t.finance.isBeingRead, 'accent'];
  },
  get ok(): readonly [string, Tone] {
    return [t.finance.inOrder, 'good'];
  },
  get failed(): readonly [string, Tone] {
    return [t.common.failed, 'bad'];
  },
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
      said: t.finance.isPaused(name),
      takeBack: () => show(id, true),
    });
    if (done) reload();
  };
  return (
    <>
      {may('finance:write') && (
        <div class="actions end filters">
          <button type="button" class="primary" data-new onClick={() => setOpen('new')}>
            {t.finance.newRevenueSource}
          </button>
        </div>
      )}
      <Pending data={data} error={error} reload={reload} lines={4} />
      {data?.items.length === 0 && (
        <Empty title={t.finance.noRevenueSources}>
          <p>{t.finance.aShopOrPaymentProvider}</p>
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
                  <Badge>{t.finance.paused}</Badge>
                )}
                {may('finance:write') && (
                  <>
                    <button type="button" class="small" onClick={() => setOpen(source)}>
                      {source.isActive ? t.finance.changeCredential : t.common.connect}
                    </button>
                    {source.isActive && (
                      <button type="button" class="small" onClick={() => pause(source)}>
                        {t.common.pause}
                      </button>
                    )}
                  </>
                )}
              </div>
            </div>
            {source.lastSyncError && <p class="problem">{source.lastSyncError}</p>}
            <dl class="facts">
              <div>
                <dt>{t.finance.bookedSoFar}</dt>
                <dd>{money(source.totalIngested, source.defaultCurrency)}</dd>
              </div>
              <div>
                <dt>{source.mode === 'pull' ? t.finance.readEvery : t.finance.comesBy}</dt>
                <dd>{source.mode === 'pull' ? counted(source.pullIntervalMinutes, t.units.minute) : t.finance.push}</dd>
              </div>
              <div>
                <dt>{t.finance.lastRead}</dt>
                <dd>{source.lastSyncAt ? <When at={source.lastSyncAt} /> : '–'}</dd>
              </div>
              <div>
                <dt>{t.common.next}</dt>
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

const secretHint = () => t.finance.sentAsABearerToken;

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
    <Dialog title={t.finance.newRevenueSource} onClose={onClose}>
      <Form submit={t.finance.createRevenueSource} onSubmit={create} onCancel={onClose}>
        <Field label={t.common.name} name="name" required maxLength={200} />
        <Field label={t.finance.feedUrl} name="feedUrl" type="url" required maxLength={2048} />
        <div class="two">
          <Field
            label={t.finance.mode}
            name="mode"
            options={[
              ['pull', t.finance.weReadIt],
              ['push', t.finance.itIsSentToUs],
            ]}
          />
          <Field
            label={t.finance.minutesBetweenReads}
            name="pullIntervalMinutes"
            type="number"
            min={1}
            max={43_200}
            step={1}
            value={60}
            required
          />
          <Field
            label={t.common.currency}
            name="defaultCurrency"
            value={current.value?.workspace.currency}
            required
            maxLength={3}
            hint={t.finance.ofPaymentsThatNameNone}
          />
        </div>
        <Field label={t.finance.credential} name="credential" type="password" autocomplete="off" hint={secretHint()} />
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
    <Dialog title={t.finance.connect(name)} onClose={onClose}>
      <Form submit={t.common.connect} onSubmit={connect} onCancel={onClose}>
        <Field label={t.finance.credential} name="credential" type="password" autocomplete="off" hint={secretHint()} />
      </Form>
    </Dialog>
  );
}
