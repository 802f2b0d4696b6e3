import { useEffect, useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { eventKinds } from '../../api/lists.ts';
import { api } from '../../app/api.ts';
import { type Loaded, useLoaded } from '../../app/load.ts';
import { go, linkTo, place } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { count, counted, worded } from '../../app/show.ts';
import { attempt } from '../../app/toasts.ts';
import { Back } from '../../parts/back.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
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
import { deliveryTones, health } from './tones.ts';

type Endpoint = Schema<'Endpoint'>;
type Delivery = Schema<'Delivery'>;

const back = <Back to="#/developers/webhooks">Webhooks</Back>;
type Open = 'edit' | 'rotate' | 'replay' | 'delete';

/** One endpoint: whether it works, and what was sent to it. */
export function EndpointPage({ id }: { id: number }) {
  const endpoint = useLoaded((signal) => api.get('/v1/webhooks/{id}', { signal, params: { path: { id } } }), [id]);
  const [open, setOpen] = useState<Open>();
  const [secret, setSecret] = useState<string>();
  const { data, error, reload } = endpoint;
  if (!data)
    return (
      <>
        <Head title="Endpoint" above={back} />
        <Pending data={data} error={error} reload={reload} lines={6} />
      </>
    );
  const close = () => setOpen(undefined);
  const params = { path: { id } };
  return (
    <>
      <Head title={data.description ?? 'Endpoint'} above={back}>
        {may('webhooks:write') && <Actions endpoint={data} of={endpoint} onOpen={setOpen} />}
      </Head>
      <Facts endpoint={data} />
      <Deliveries id={id} onNews={reload} />
      {open === 'edit' && <EditEndpoint endpoint={data} onDone={reload} onClose={close} />}
      {open === 'rotate' && <Rotate onSecret={setSecret} onClose={close} id={id} onDone={reload} />}
      {open === 'replay' && <ReplayFailed id={id} onDone={reload} onClose={close} />}
      {open === 'delete' && (
        <Confirm
          title="Delete this endpoint?"
          action="Delete"
          isDangerous
          onClose={close}
          onConfirm={async () => {
            await api.delete('/v1/webhooks/{id}', { params });
            go('/developers/webhooks');
          }}
        >
          <p>Nothing more is sent to {data.url}; what waits is dropped.</p>
        </Confirm>
      )}
      {secret !== undefined && (
        <Secret title="The new secret" label="The secret" text={secret} onClose={() => setSecret(undefined)} />
      )}
    </>
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
      said: isActive ? 'Nothing is sent to it now.' : 'Events are sent to it again.',
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
        text="More"
        label="More actions"
        items={[
          { text: 'Rotate the secret', choose: () => onOpen('rotate') },
          { text: 'Replay failed deliveries', choose: () => onOpen('replay') },
          { text: isActive ? 'Turn off' : 'Turn on', choose: () => void turn() },
          { text: 'Delete', isDangerous: true, choose: () => onOpen('delete') },
        ]}
      />
      <button type="button" onClick={() => onOpen('edit')}>
        Edit
      </button>
      <button type="button" class="primary" onClick={test}>
        Send a test
      </button>
    </>
  );
}

function Facts({ endpoint }: { endpoint: Endpoint }) {
  const { url, status, isActive, consecutiveFailures, lastSuccessAt, eventKinds: kinds, secretHint } = endpoint;
  const filters = [
    endpoint.filter?.changedFields && `changes of ${endpoint.filter.changedFields.join(', ')}`,
    endpoint.filter?.channels && `channels ${endpoint.filter.channels.join(', ')}`,
    endpoint.filter?.contactTagIds && counted(endpoint.filter.contactTagIds.length, 'contact tag'),
  ].filter(Boolean);
  return (
    <>
      {!isActive && <p class="note">It is off: events that happen now are kept as skipped and can be replayed.</p>}
      <dl class="card facts">
        <div class="whole">
          <dt>URL</dt>
          <dd>{url}</dd>
        </div>
        <div>
          <dt>Health</dt>
          <dd>
            <Badge tone={isActive ? health[status] : 'plain'}>{isActive ? worded(status) : 'Off'}</Badge>{' '}
            {consecutiveFailures > 0 && `${counted(consecutiveFailures, 'failure')} in a row`}
          </dd>
        </div>
        <div>
          <dt>Last success</dt>
          <dd>{lastSuccessAt ? <When at={lastSuccessAt} /> : '–'}</dd>
        </div>
        <div>
          <dt>Secret</dt>
          <dd>
            <code>…{secretHint}</code>
          </dd>
        </div>
        <div>
          <dt>Events</dt>
          <dd>
            {kinds.includes('*') ? 'All' : kinds.join(', ')}
            {filters.length > 0 && <p class="hint">Only {filters.join('; ')}</p>}
          </dd>
        </div>
      </dl>
    </>
  );
}

const columns: readonly Column<Delivery>[] = [
  {
    title: 'Event',
    show: ({ id, endpointId, eventKind, replayOfId }) => (
      <>
        <a href={linkTo(`/developers/webhooks/${endpointId}/deliveries/${id}`)}>{eventKind}</a>
        {replayOfId !== null && <p class="hint">a replay</p>}
      </>
    ),
  },
  { title: 'Status', show: ({ status }) => <Badge tone={deliveryTones[status]}>{worded(status)}</Badge> },
  {
    title: 'Answer',
    isWide: true,
    show: ({ responseStatus, error }) => responseStatus ?? error ?? '–',
  },
  { title: 'Attempts', isWide: true, isNumber: true, show: ({ attemptCount }) => count(attemptCount) },
  {
    title: 'Took',
    isWide: true,
    isNumber: true,
    show: ({ durationMs }) => (durationMs === null ? '–' : `${count(durationMs)} ms`),
  },
  { title: 'Created', show: ({ createdAt }) => <When at={createdAt} /> },
];

const everyMs = 3000;

function Deliveries({ id, onNews }: { id: number; onNews(): void }) {
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
    [id, String(place.value.query)],
  );
  // What is being sent says so by no event.
  const { data, reload } = deliveries;
  const newest = `${data?.items[0]?.id} ${data?.items[0]?.status}`;
  useEffect(() => {
    const timer = setInterval(() => document.hidden || reload(), everyMs);
    return () => clearInterval(timer);
  }, []);
  useEffect(onNews, [newest]);
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries" class="section">
        Deliveries
      </h2>
      <Filters>
        <Choice
          label="Status"
          name="status"
          all="Every status"
          options={Object.keys(deliveryTones).map((status) => [status, worded(status)])}
        />
        <Choice label="Kind" name="kind" all="Every kind" options={eventKinds.map((kind) => [kind, kind])} />
      </Filters>
      <Paged
        caption="Deliveries"
        of={deliveries}
        columns={columns}
        keyOf={(delivery) => delivery.id}
        empty={
          <Empty title={place.value.query.size > 0 ? 'No deliveries like that' : 'Nothing was sent yet'}>
            <p>Each event that this endpoint gets is here for 30 days. “Send a test” sends one now.</p>
          </Empty>
        }
      />
    </section>
  );
}

interface DialogProps {
  id: number;
  onDone(): void;
  onClose(): void;
}

function Rotate({ id, onSecret, onDone, onClose }: DialogProps & { onSecret(secret: string): void }) {
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
    <Dialog title="Rotate the secret" onClose={onClose}>
      <Form submit="Rotate" onSubmit={rotate} onCancel={onClose}>
        <p>All endpoints of the workspace share the secret. Until the old one ends, both sign.</p>
        <Field
          label="The old secret ends"
          name="graceMinutes"
          value="1440"
          options={[
            ['1440', 'in a day'],
            ['60', 'in an hour'],
            ['0', 'at once'],
          ]}
        />
      </Form>
    </Dialog>
  );
}

function ReplayFailed({ id, onDone, onClose }: DialogProps) {
  const replay = async ({ since }: Values) => {
    const body = { since: instant(since) ?? '' };
    const { queued } = await api.post('/v1/webhooks/{id}/replay-failed', { params: { path: { id } }, body });
    onDone();
    onClose();
    await attempt(async () => {}, {
      said: queued === 0 ? 'Nothing has failed since then.' : `Sent again: ${count(queued)}.`,
    });
  };
  return (
    <Dialog title="Replay failed deliveries" onClose={onClose}>
      <Form submit="Replay" onSubmit={replay} onCancel={onClose}>
        <p>What has failed or was skipped since then is sent again, the oldest first, a thousand at most.</p>
        <Field
          label="Since"
          name="since"
          type="datetime-local"
          value={localTime(dayStart(-1))}
          min={localTime(dayStart(-29))}
          required
        />
      </Form>
    </Dialog>
  );
}
