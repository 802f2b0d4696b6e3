import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { channelNames, channels } from '../../app/channels.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { linkTo, place } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { count, worded } from '../../app/show.ts';
import { attempt } from '../../app/toasts.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Choice, Filters, filter } from '../../parts/filters.tsx';
import { Head } from '../../parts/head.tsx';
import { type Column, cursor, Paged } from '../../parts/paged.tsx';
import { When } from '../../parts/when.tsx';

type Job = Schema<'Job'>;

const tones: Record<Job['status'], Tone> = { queued: 'accent', sent: 'good', failed: 'bad' };
const sources = ['api', 'panel', 'sequence', 'agent'] as const satisfies readonly Job['source'][];

export default function Jobs() {
  const jobs = useLoaded(
    (signal) =>
      api.get('/v1/jobs', {
        signal,
        params: {
          query: {
            limit: 50,
            after: cursor(),
            status: filter('status') as Job['status'] | undefined,
            channel: filter('channel') as Job['channel'] | undefined,
            source: filter('source') as Job['source'] | undefined,
          },
        },
      }),
    [String(place.value.query)],
    touching('job', 'message', 'account'),
  );
  const act = async (work: () => Promise<unknown>, said: string) => {
    if (await attempt(work, { said })) jobs.reload();
  };
  const columns: readonly Column<Job>[] = [
    {
      title: 'Message',
      show: ({ textPreview, recipient, contactId, lastError, completedAt, runAt }) => (
        <>
          <span class="notes">{textPreview}</span>
          <p class="hint belongs">
            <span>
              to {contactId === null ? recipient : <a href={linkTo(`/contacts/${contactId}`)}>{recipient}</a>}
            </span>
            <span>
              <When at={completedAt ?? runAt} />
            </span>
          </p>
          {lastError && <p class="problem">{lastError}</p>}
        </>
      ),
    },
    { title: 'Status', show: ({ status }) => <Badge tone={tones[status]}>{worded(status)}</Badge> },
    {
      title: 'By',
      isWide: true,
      show: ({ channel, source, sequenceId }) => (
        <>
          {channelNames[channel]}
          <p class="hint">
            {sequenceId === null ? (
              source === 'api' ? (
                'API'
              ) : (
                worded(source)
              )
            ) : (
              <a href={linkTo(`/settings/sequences/${sequenceId}`)}>Sequence</a>
            )}
          </p>
        </>
      ),
    },
    {
      title: 'Attempts',
      isWide: true,
      isNumber: true,
      show: ({ attempts, maxAttempts }) => `${count(attempts)} of ${count(maxAttempts)}`,
    },
    {
      title: 'Action',
      show: ({ id, channel, status, textPreview }) => {
        const params = { path: { id } };
        if (channel === 'telegram' && status === 'failed' && may('telegram:send'))
          return (
            <button
              type="button"
              class="small"
              aria-label={`Retry “${textPreview}”`}
              onClick={() => act(() => api.post('/v1/telegram/messages/{id}/retry', { params }), 'It is tried again.')}
            >
              Retry
            </button>
          );
        if (status !== 'queued' || channel === 'email' || !may(`${channel}:send`)) return null;
        return (
          <button
            type="button"
            class="small"
            aria-label={`Cancel “${textPreview}”`}
            onClick={() =>
              act(
                () =>
                  channel === 'telegram'
                    ? api.post('/v1/telegram/messages/{id}/cancel', { params })
                    : api.post('/v1/twitter/messages/{id}/cancel', { params }),
                'It is not sent.',
              )
            }
          >
            Cancel
          </button>
        );
      },
    },
  ];
  return (
    <>
      <Head title="Jobs" />
      <Summary />
      <Filters>
        <Choice
          label="Status"
          name="status"
          all="Every status"
          options={Object.keys(tones).map((status) => [status, worded(status)])}
        />
        <Choice label="Channel" name="channel" all="Every channel" options={channels} />
        <Choice
          label="Source"
          name="source"
          all="Every source"
          options={sources.map((source) => [source, source === 'api' ? 'API' : worded(source)])}
        />
      </Filters>
      <Paged
        caption="Jobs"
        of={jobs}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty title={place.value.query.size > 0 ? 'No jobs like that' : 'Nothing was sent yet'}>
            <p>Each message that is to be sent is a job: it waits for its time and for the pace of its account.</p>
          </Empty>
        }
      />
    </>
  );
}

function Summary() {
  const { data } = useLoaded(
    (signal) => api.get('/v1/jobs/summary', { signal }),
    [],
    touching('job', 'message', 'account'),
  );
  const figures = [
    ['Waiting', data?.queued, data?.oldestQueuedAt],
    ['Sent in 24 hours', data?.sent, undefined],
    ['Failed in 24 hours', data?.failed, undefined],
  ] as const;
  return (
    <div class="cards section">
      {figures.map(([title, number, oldest]) => (
        <div key={title} class="card figure">
          <p class="muted">{title}</p>
          <p class="value">{number === undefined ? <span class="skeleton">&nbsp;</span> : count(number)}</p>
          <p class="hint">
            {oldest ? (
              <>
                oldest <When at={oldest} />
              </>
            ) : (
              <>&nbsp;</>
            )}
          </p>
        </div>
      ))}
    </div>
  );
}
