import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { useDue } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { go, linkTo } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { count, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
import { Back } from '../../parts/back.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Code, indented } from '../../parts/code.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { filled } from '../../parts/filled.tsx';
import { Head } from '../../parts/head.tsx';
import { Pending } from '../../parts/pending.tsx';
import { When } from '../../parts/when.tsx';
import { Next, nextAttemptMs } from './next-attempt.tsx';
import { resume } from './resume.ts';
import { deliveryTones } from './tones.ts';

type Detail = Schema<'DeliveryDetail'>;
type Attempt = Schema<'DeliveryAttempt'>;

const errorClasses: Record<NonNullable<Attempt['errorClass']>, string> = {
  get dns() {
    return t.developers.theHostHasNoAddress;
  },
  get refused() {
    return t.developers.theConnectionWasRefused;
  },
  get tls() {
    return t.developers.theCertificateOrTheTls;
  },
  get timeout() {
    return t.developers.noWholeAnswerWithin5;
  },
  get reset() {
    return t.developers.theConnectionWasCut;
  },
  get too_large() {
    return t.developers.theAnswerWasTooLarge;
  },
  get status() {
    return t.developers.theAnswerWasNo2xx;
  },
  get blocked_address() {
    return t.developers.theHostLeadsToA;
  },
};

const written = (headers: Readonly<Record<string, string>> | null | undefined) =>
  Object.entries(headers ?? {})
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

interface DeliveryPageProps {
  /** Of the endpoint. */
  id: number;
  deliveryId: string;
}

/** One delivery: what was sent, and what came back each time. */
export function DeliveryPage({ id, deliveryId }: DeliveryPageProps) {
  const delivery = useLoaded(
    (signal) => api.get('/v1/webhooks/{id}/deliveries/{deliveryId}', { signal, params: { path: { id, deliveryId } } }),
    [id, deliveryId],
  );
  const { data, error, reload } = delivery;
  const endpoint = useLoaded(
    (signal) => api.get('/v1/webhooks/{id}', { signal, params: { path: { id } } }),
    [id, data],
  );
  const nextMs = data && nextAttemptMs(data, endpoint.data);
  // How it goes is said by no event.
  useDue(reload, nextMs);
  const back = <Back to={linkTo(`/developers/webhooks/${id}`)}>{t.developers.endpoint}</Back>;
  if (!data)
    return (
      <>
        <Head title={t.developers.delivery} above={back} />
        <Pending data={data} error={error} reload={reload} lines={8} />
      </>
    );
  const replay = () =>
    attempt(
      async () => {
        const made = await api.post('/v1/webhooks/{id}/deliveries/{deliveryId}/replay', {
          params: { path: { id, deliveryId } },
        });
        go(`/developers/webhooks/${id}/deliveries/${made.id}`);
      },
      { said: t.developers.itIsSentAgainAs },
    );
  return (
    <>
      <Head title={data.eventKind} above={back}>
        {may('webhooks:write') && (
          <button type="button" class="primary" onClick={nextMs === undefined ? replay : () => resume(id, reload)}>
            {nextMs === undefined ? t.developers.replay : t.developers.sendNow}
          </button>
        )}
      </Head>
      <Facts delivery={data} nextMs={nextMs} />
      <Attempts delivery={data} />
      <section class="card stack" aria-labelledby="request">
        <h2 id="request">{t.developers.request}</h2>
        {data.requestHeaders && <Code label={t.developers.requestHeaders} text={written(data.requestHeaders)} />}
        {data.requestBody === null ? (
          <p class="hint">{t.developers.theBodyIsNotKept}</p>
        ) : (
          <Code label={t.developers.requestBody} text={indented(data.requestBody)} />
        )}
      </section>
    </>
  );
}

const Facts = ({ delivery, nextMs }: { delivery: Detail; nextMs: number | undefined }) => (
  <dl class="card facts">
    <div>
      <dt>{t.common.status}</dt>
      <dd>
        <Badge tone={deliveryTones[delivery.status]}>{worded(delivery.status)}</Badge>
      </dd>
    </div>
    <div>
      <dt>{t.common.created}</dt>
      <dd>
        <When at={delivery.createdAt} />
      </dd>
    </div>
    {nextMs !== undefined && (
      <div>
        <dt>{t.developers.nextAttempt}</dt>
        <dd>
          <Next atMs={nextMs} />
        </dd>
      </div>
    )}
    <div>
      <dt>{t.developers.event}</dt>
      <dd>
        <code>{delivery.eventId}</code> <CopyButton text={delivery.eventId} label={t.developers.copyTheEventsId} />
      </dd>
    </div>
    <div>
      <dt>{t.developers.delivery}</dt>
      <dd>
        <code>{delivery.deliveryId}</code>{' '}
        <CopyButton text={delivery.deliveryId} label={t.developers.copyTheDeliverysId} />
      </dd>
    </div>
    {delivery.replayOfId !== null && (
      <div>
        <dt>{t.developers.replayOf}</dt>
        <dd>
          <a href={linkTo(`/developers/webhooks/${delivery.endpointId}/deliveries/${delivery.replayOfId}`)}>
            {filled(t.developers.deliveryReplayOfId, { replayOfId: delivery.replayOfId })}
          </a>
        </dd>
      </div>
    )}
  </dl>
);

function Attempts({ delivery: { attempts, responseBody } }: { delivery: Detail }) {
  const newest = Math.max(...attempts.map(({ number }) => number));
  return (
    <section class="card" aria-labelledby="attempts">
      <h2 id="attempts">{t.developers.attempts}</h2>
      {attempts.length === 0 && <p class="hint">{t.developers.itHasNotBeenSent}</p>}
      <ol class="plain stack">
        {[...attempts].reverse().map((attempt) => (
          <li key={attempt.number}>
            <details open={attempt.number === newest}>
              <summary>
                <span class="row inline">
                  <span>{filled(t.developers.attempt, { number: count(attempt.number) })}</span>
                  <Badge tone={attempt.errorClass || attempt.error ? 'bad' : 'good'}>
                    {attempt.responseStatus ?? worded(attempt.errorClass ?? 'failed')}
                  </Badge>
                  <span>{filled(t.developers.ms, { durationMs: count(attempt.durationMs) })}</span>
                  <When at={attempt.startedAt} />
                </span>
              </summary>
              <div class="stack inset">
                {(attempt.errorClass || attempt.error) && (
                  <p class="problem">
                    {attempt.errorClass ? errorClasses[attempt.errorClass] : t.developers.itFailed}
                    {attempt.error && `: ${attempt.error}`}
                  </p>
                )}
                {Object.keys(attempt.responseHeaders ?? {}).length > 0 && (
                  <Code
                    label={t.developers.responseHeadersOfAttempt(attempt.number)}
                    text={written(attempt.responseHeaders)}
                  />
                )}
                {attempt.number === newest && responseBody && (
                  <Code label={t.developers.responseBody} text={indented(responseBody)} />
                )}
              </div>
            </details>
          </li>
        ))}
      </ol>
    </section>
  );
}
