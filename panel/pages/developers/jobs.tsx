import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { channelNames, channels } from '../../app/channels.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { linkTo, place } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { count, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Empty } from '../../parts/empty.tsx';
import { filled } from '../../parts/filled.tsx';
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
      title: t.developers.message,
      show: ({ textPreview, recipient, contactId, lastError, completedAt, runAt }) => (
        <>
          <span class="notes">{textPreview}</span>
          <p class="hint belongs">
            <span>
              {filled(t.developers.to, {
                recipient: contactId === null ? recipient : <a href={linkTo(`/contacts/${contactId}`)}>{recipient}</a>,
              })}
            </span>
            <span>
              <When at={completedAt ?? runAt} />
            </span>
          </p>
          {lastError && <p class="problem">{lastError}</p>}
        </>
      ),
    },
    { title: t.common.status, show: ({ status }) => <Badge tone={tones[status]}>{worded(status)}</Badge> },
    {
      title: t.developers.by,
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
              <a href={linkTo(`/settings/sequences/${sequenceId}`)}>{t.common.sequence}</a>
            )}
          </p>
        </>
      ),
    },
    {
      title: t.developers.attempts,
      isWide: true,
      isNumber: true,
      show: ({ attempts, maxAttempts }) => t.developers.of(count(attempts), count(maxAttempts)),
    },
    {
      title: t.developers.action,
      show: ({ id, channel, status, textPreview }) => {
        const params = { path: { id } };
        if (channel === 'telegram' && status === 'failed' && may('telegram:send'))
          return (
            <button
              type="button"
              class="small"
              aria-label={t.developers.retry(textPreview)}
              onClick={() =>
                act(() => api.post('/v1/telegram/messages/{id}/retry', { params }), t.developers.itIsTriedAgain)
              }
            >
              {t.developers.retry2}
            </button>
          );
        if (status !== 'queued' || channel === 'email' || !may(`${channel}:send`)) return null;
        return (
          <button
            type="button"
            class="small"
            aria-label={t.developers.cancel(textPreview)}
            onClick={() =>
              act(
                () =>
                  channel === 'telegram'
                    ? api.post('/v1/telegram/messages/{id}/cancel', { params })
                    : api.post('/v1/twitter/messages/{id}/cancel', { params }),
                t.developers.itIsNotSent,
              )
            }
          >
            {t.common.cancel}
          </button>
        );
      },
    },
  ];
  return (
    <>
      <Head title={t.common.jobs} />
      <Summary />
      <Filters>
        <Choice
          label={t.common.status}
          name="status"
          all={t.common.everyStatus}
          options={Object.keys(tones).map((status) => [status, worded(status)])}
        />
        <Choice label={t.common.channel} name="channel" all={t.developers.everyChannel} options={channels} />
        <Choice
          label={t.developers.source}
          name="source"
          all={t.developers.everySource}
          options={sources.map((source) => [source, source === 'api' ? 'API' : worded(source)])}
        />
      </Filters>
      <Paged
        caption={t.common.jobs}
        of={jobs}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty title={place.value.query.size > 0 ? t.developers.noJobsLikeThat : t.developers.nothingWasSentYet}>
            <p>{t.developers.eachMessageThatIsTo}</p>
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
    [t.developers.waiting, data?.queued, data?.oldestQueuedAt],
    [t.developers.sentIn24Hours, data?.sent, undefined],
    [t.developers.failedIn24Hours, data?.failed, undefined],
  ] as const;
  return (
    <div class="cards section">
      {figures.map(([title, number, oldest]) => (
        <div key={title} class="card figure">
          <p class="muted">{title}</p>
          <p class="value">{number === undefined ? <span class="skeleton">&nbsp;</span> : count(number)}</p>
          <p class="hint">{oldest ? filled(t.developers.oldest, { when: <When at={oldest} /> }) : <>&nbsp;</>}</p>
        </div>
      ))}
    </div>
  );
}
