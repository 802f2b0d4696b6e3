import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { eventKinds } from '../../api/lists.ts';
import { api } from '../../app/api.ts';
import { onEvents, useDue } from '../../app/live.ts';
import { type Loaded, useLoaded } from '../../app/load.ts';
import { go, linkTo, place } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { count, counted, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
import { Back } from '../../parts/back.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { filled } from '../../parts/filled.tsx';
import { Choice, Filters, filter } from '../../parts/filters.tsx';
import { Field, Form, type Values } from '../../parts/form.tsx';
import { Head } from '../../parts/head.tsx';
import { dayStart, instant, localTime } from '../../parts/local-time.ts';
import { Menu } from '../../parts/menu.tsx';
import { type Column, cursor, Paged } from '../../parts/paged.tsx';
import { Pending } from '../../parts/pending.tsx';
import { Secret } from '../../parts/secret.tsx';
import { When } from '../../parts/when.tsx';
import { EditEndpoint } from './edit-endpoint.tsx';
import { Next, nextAttemptMs } from './next-attempt.tsx';
import { resume } from './resume.ts';
import { LastDay, loadDays } from './spark.tsx';
import { deliveryTones, healthOf } from './tones.ts';

type Endpoint = Schema<'Endpoint'>;
type Delivery = Schema<'Delivery'>;

const back = () => <Back to="#/developers/webhooks">{t.common.webhooks}</Back>;
type Open = 'edit' | 'rotate' | 'replay' | 'delete';

/** One endpoint: whether it works, and what was sent to it. */
export function EndpointPage({ id }: { id: number }) {
  const endpoint = useLoaded((signal) => api.get('/v1/webhooks/{id}', { signal, params: { path: { id } } }), [id]);
  const [open, setOpen] = useState<Open>();
  const [secret, setSecret] = useState<string>();
  const [turn, setTurn] = useState(0);
  const { data, error, reload } = endpoint;
  if (!data)
    return (
      <>
        <Head title={t.developers.endpoint} above={back()} />
        <Pending data={data} error={error} reload={reload} lines={6} />
      </>
    );
  const close = () => setOpen(undefined);
  const reloadAll = () => {
    reload();
    setTurn((before) => before + 1);
  };
  const params = { path: { id } };
  return (
    <>
      <Head title={data.description ?? new URL(data.url).host} above={back()}>
        {may('webhooks:write') && <Actions endpoint={data} of={endpoint} onOpen={setOpen} />}
      </Head>
      <Paused endpoint={data} onEnd={reload} onResumed={reloadAll} />
      <Facts endpoint={data} />
      <Deliveries endpoint={data} turn={turn} onNews={reload} />
      {open === 'edit' && <EditEndpoint endpoint={data} onDone={reload} onClose={close} />}
      {open === 'rotate' && <Rotate onSecret={setSecret} onClose={close} of={data} onDone={reload} />}
      {open === 'replay' && <ReplayFailed id={id} onDone={reloadAll} onClose={close} />}
      {open === 'delete' && (
        <Confirm
          title={t.developers.deleteThisEndpoint}
          action={t.common.delete}
          isDangerous
          onClose={close}
          onConfirm={async () => {
            await api.delete('/v1/webhooks/{id}', { params });
            go('/developers/webhooks');
          }}
        >
          <p>{filled(t.developers.nothingMoreIsSentTo, { url: data.url })}</p>
        </Confirm>
      )}
      {secret !== undefined && (
        <Secret
          title={t.developers.theNewSecret}
          label={t.developers.theSecret}
          text={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  );
}

/** Says until when nothing is sent, and ends that. */
function Paused({ endpoint, onEnd, onResumed }: { endpoint: Endpoint; onEnd(): void; onResumed(): void }) {
  const { id, isActive, pausedUntil, consecutiveFailures } = endpoint;
  const untilMs = Date.parse(pausedUntil ?? '');
  useDue(onEnd, pausedUntil === null ? undefined : untilMs);
  if (!isActive || pausedUntil === null) return null;
  return (
    <div class="note row">
      <p role="status">
        {filled(t.developers.pausedAfter, {
          failures: counted(consecutiveFailures, t.units.failure),
          when: <Next atMs={untilMs} />,
        })}
      </p>
      {may('webhooks:write') && (
        <button type="button" class="primary" onClick={() => resume(id, onResumed)}>
          {t.developers.tryNow}
        </button>
      )}
    </div>
  );
}

interface ActionsProps {
  endpoint: Endpoint;
  of: Loaded<Endpoint>;
  onOpen(what: Open): void;
}

function Actions({ endpoint: { id, isActive }, of, onOpen }: ActionsProps) {
  const params = { path: { id } };
  const set = async (to: boolean) => {
    const changed = await api.patch('/v1/webhooks/{id}', { params, body: { isActive: to } });
    of.change(() => changed);
  };
  const turn = () => {
    of.change((before) => ({ ...before, isActive: !isActive }));
    return attempt(() => set(!isActive), {
      said: isActive ? t.developers.nothingIsSentToIt : t.developers.eventsAreSentToIt,
      undo: () => set(isActive),
      takeBack: () => of.change((before) => ({ ...before, isActive })),
    });
  };
  const test = () =>
    attempt(async () => {
      const { delivery } = await api.post('/v1/webhooks/{id}/test', { params, body: {} });
      go(`/developers/webhooks/${id}/deliveries/${delivery.id}`);
    });
  return (
    <>
      <Menu
        text={t.developers.more}
        label={t.developers.moreActions}
        items={[
          { text: t.developers.rotateTheSecret, choose: () => onOpen('rotate') },
          { text: t.developers.replayFailedDeliveries, choose: () => onOpen('replay') },
          { text: isActive ? t.developers.turnOff : t.developers.turnOn, choose: () => void turn() },
          { text: t.common.delete, isDangerous: true, choose: () => onOpen('delete') },
        ]}
      />
      <button type="button" onClick={() => onOpen('edit')}>
        {t.common.edit}
      </button>
      <button type="button" class="primary" onClick={test}>
        {t.developers.sendATest}
      </button>
    </>
  );
}

function Facts({ endpoint }: { endpoint: Endpoint }) {
  const { url, isActive, consecutiveFailures, lastSuccessAt, eventKinds: kinds, secretHint } = endpoint;
  const { tone, text } = healthOf(endpoint);
  const days = useLoaded(loadDays, [endpoint]);
  const filters = [
    endpoint.filter?.changedFields && t.developers.changesOf(endpoint.filter.changedFields.join(', ')),
    endpoint.filter?.channels && t.developers.channels(endpoint.filter.channels.join(', ')),
    endpoint.filter?.contactTagIds && counted(endpoint.filter.contactTagIds.length, t.units.contactTag),
  ].filter(Boolean);
  return (
    <>
      {!isActive && <p class="note">{t.developers.itIsOffEventsThat}</p>}
      <dl class="card facts">
        <div class="whole">
          <dt>{t.developers.url}</dt>
          <dd>{url}</dd>
        </div>
        <div>
          <dt>{t.developers.health}</dt>
          <dd>
            <Badge tone={tone}>{text}</Badge>{' '}
            {consecutiveFailures > 0 && t.developers.inARow(counted(consecutiveFailures, t.units.failure))}
          </dd>
        </div>
        <div>
          <dt>{t.developers.lastSuccess}</dt>
          <dd>{lastSuccessAt ? <When at={lastSuccessAt} /> : '–'}</dd>
        </div>
        <div>
          <dt>{t.developers.secret}</dt>
          <dd>
            <code>…{secretHint}</code>{' '}
            {endpoint.ownSecret ? t.developers.itsOwnSecret : t.developers.theWorkspacesSecret}
          </dd>
        </div>
        <div>
          <dt>{t.developers.theLast24Hours}</dt>
          <dd>
            <LastDay day={days.data?.get(endpoint.id)} />
          </dd>
        </div>
        {endpoint.headers.length > 0 && (
          <div>
            <dt>{t.developers.headers}</dt>
            <dd>
              <code>{endpoint.headers.join(', ')}</code>
            </dd>
          </div>
        )}
        <div>
          <dt>{t.common.events}</dt>
          <dd>
            {kinds.includes('*') ? t.common.all : kinds.join(', ')}
            {filters.length > 0 && <p class="hint">{filled(t.developers.only, { join: filters.join('; ') })}</p>}
          </dd>
        </div>
      </dl>
    </>
  );
}

const columns: readonly Column<Delivery>[] = [
  {
    get title() {
      return t.developers.event;
    },
    show: ({ id, endpointId, eventKind, replayOfId }) => (
      <>
        <a href={linkTo(`/developers/webhooks/${endpointId}/deliveries/${id}`)}>{eventKind}</a>
        {replayOfId !== null && <p class="hint">{t.developers.aReplay}</p>}
      </>
    ),
  },
  {
    get title() {
      return t.common.status;
    },
    show: ({ status }) => <Badge tone={deliveryTones[status]}>{worded(status)}</Badge>,
  },
  {
    get title() {
      return t.developers.answer;
    },
    isWide: true,
    show: ({ responseStatus, error }) => responseStatus ?? error ?? '–',
  },
  {
    get title() {
      return t.developers.attempts;
    },
    isWide: true,
    isNumber: true,
    show: ({ attemptCount }) => count(attemptCount),
  },
  {
    get title() {
      return t.developers.took;
    },
    isWide: true,
    isNumber: true,
    show: ({ durationMs }) => (durationMs === null ? '–' : t.developers.msDurationMs(count(durationMs))),
  },
  {
    get title() {
      return t.common.created;
    },
    show: ({ createdAt }) => <When at={createdAt} />,
  },
];

const refreshMs = 30_000;
/** An event is seen before the deliveries that are made of it. */
const fanOutMs = 1000;

interface DeliveriesProps {
  endpoint: Endpoint;
  /** Loads them again when it changes. */
  turn: number;
  onNews(): void;
}

function Deliveries({ endpoint, turn, onNews }: DeliveriesProps) {
  const { id } = endpoint;
  const deliveries = useLoaded(
    (signal) =>
      api.get('/v1/webhooks/{id}/deliveries', {
        signal,
        params: {
          path: { id },
          query: {
            limit: 50,
            after: cursor(),
            status: filter('status') as Delivery['status'] | undefined,
            eventKind: filter('kind') as Schema<'EventKind'> | undefined,
          },
        },
      }),
    [id, turn, String(place.value.query)],
  );
  // What is being sent says so by no event.
  const { data, reload } = deliveries;
  const sent = data?.items.map(({ id, status, attemptCount }) => `${id} ${status} ${attemptCount}`).join();
  const known = useRef<string | undefined>(undefined);
  const dueAt = useMemo(() => {
    const next = (data?.items ?? []).flatMap((delivery) => nextAttemptMs(delivery, endpoint) ?? []);
    return Math.min(Date.now() + refreshMs, ...next);
  }, [data, endpoint]);
  useDue(reload, dueAt);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onEvents((events) => {
      if (!events.some(({ event }) => endpoint.eventKinds.some((kind) => kind === '*' || kind === event))) return;
      clearTimeout(timer);
      timer = setTimeout(reload, fanOutMs);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, []);
  useEffect(() => {
    if (known.current !== undefined && sent !== undefined) onNews();
    known.current = sent ?? known.current;
  }, [sent]);
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries" class="section">
        {t.developers.deliveries}
      </h2>
      <Filters>
        <Choice
          label={t.common.status}
          name="status"
          all={t.common.everyStatus}
          options={Object.keys(deliveryTones).map((status) => [status, worded(status)])}
        />
        <Choice
          label={t.developers.kind}
          name="kind"
          all={t.developers.everyKind}
          options={eventKinds.map((kind) => [kind, kind])}
        />
      </Filters>
      <Paged
        caption={t.developers.deliveries}
        of={deliveries}
        columns={columns}
        keyOf={(delivery) => delivery.id}
        empty={
          <Empty
            title={place.value.query.size > 0 ? t.developers.noDeliveriesLikeThat : t.developers.nothingWasSentYet}
          >
            <p>{t.developers.eachEventThatThisEndpoint}</p>
          </Empty>
        }
      />
    </section>
  );
}

interface DialogProps {
  onDone(): void;
  onClose(): void;
}

function Rotate({
  of: { id, ownSecret },
  onSecret,
  onDone,
  onClose,
}: DialogProps & { of: Endpoint; onSecret(secret: string): void }) {
  const rotate = async ({ graceMinutes }: Values) => {
    const { secret } = await api.post('/v1/webhooks/{id}/rotate', {
      params: { path: { id } },
      body: { graceMinutes: Number(graceMinutes) },
    });
    onDone();
    onClose();
    if (secret !== null) onSecret(secret);
  };
  return (
    <Dialog title={t.developers.rotateTheSecret} onClose={onClose}>
      <Form submit={t.developers.rotate} onSubmit={rotate} onCancel={onClose}>
        <p>{ownSecret ? t.developers.theSecretOfThisEndpoint : t.developers.allEndpointsOfTheWorkspace}</p>
        <Field
          label={t.developers.theOldSecretEnds}
          name="graceMinutes"
          value="1440"
          options={[
            ['1440', t.developers.inADay],
            ['60', t.developers.inAnHour],
            ['0', t.common.atOnce],
          ]}
        />
      </Form>
    </Dialog>
  );
}

function ReplayFailed({ id, onDone, onClose }: DialogProps & { id: number }) {
  const replay = async ({ since, eventKind }: Values) => {
    const body = {
      since: instant(since) ?? '',
      ...(eventKind !== undefined && { eventKind: eventKind as Schema<'EventKind'> }),
    };
    const { queued } = await api.post('/v1/webhooks/{id}/replay-failed', { params: { path: { id } }, body });
    onDone();
    onClose();
    await attempt(async () => {}, {
      said: queued === 0 ? t.developers.nothingHasFailedSinceThen : t.developers.sentAgain(count(queued)),
    });
  };
  return (
    <Dialog title={t.developers.replayFailedDeliveries} onClose={onClose}>
      <Form submit={t.developers.replay} onSubmit={replay} onCancel={onClose}>
        <p>{t.developers.whatHasFailedOrWas}</p>
        <Field
          label={t.common.since}
          name="since"
          type="datetime-local"
          value={localTime(dayStart(-1))}
          min={localTime(dayStart(-29))}
          required
        />
        <Field
          label={t.developers.kind}
          name="eventKind"
          value={filter('kind') ?? ''}
          options={[['', t.developers.allKindsOfEvents], ...eventKinds.map((kind) => [kind, kind] as const)]}
        />
      </Form>
    </Dialog>
  );
}
