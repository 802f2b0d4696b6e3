import { useEffect } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { useLoaded } from '../../app/load.ts';
import { go, linkTo } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { count, worded } from '../../app/show.ts';
import { attempt } from '../../app/toasts.ts';
import { Back } from '../../parts/back.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Code, indented } from '../../parts/code.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Head } from '../../parts/head.tsx';
import { Pending } from '../../parts/pending.tsx';
import { When } from '../../parts/when.tsx';
import { deliveryTones } from './tones.ts';

type Detail = Schema<'DeliveryDetail'>;
type Attempt = Schema<'DeliveryAttempt'>;

const errorClasses: Record<NonNullable<Attempt['errorClass']>, string> = {
  dns: 'The host has no address',
  refused: 'The connection was refused',
  tls: 'The certificate or the TLS handshake failed',
  timeout: 'No whole answer within 5 seconds',
  reset: 'The connection was cut',
  too_large: 'The answer was too large',
  status: 'The answer was no 2xx',
  blocked_address: 'The host leads to a private address',
};

const written = (headers: Readonly<Record<string, string>> | null | undefined) =>
  Object.entries(headers ?? {})
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

const everyMs = 2000;

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
  const isUnderWay = data?.status === 'pending' || data?.status === 'retrying';
  // How it goes is said by no event.
  useEffect(() => {
    if (!isUnderWay) return;
    const timer = setInterval(() => document.hidden || reload(), everyMs);
    return () => clearInterval(timer);
  }, [isUnderWay]);
  const back = <Back to={linkTo(`/developers/webhooks/${id}`)}>Endpoint</Back>;
  if (!data)
    return (
      <>
        <Head title="Delivery" above={back} />
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
      { said: 'It is sent again, as a delivery of its own.' },
    );
  return (
    <>
      <Head title={data.eventKind} above={back}>
        {may('webhooks:write') && (
          <button type="button" class="primary" disabled={isUnderWay} onClick={replay}>
            Replay
          </button>
        )}
      </Head>
      <Facts delivery={data} />
      <Attempts delivery={data} />
      <section class="card stack" aria-labelledby="request">
        <h2 id="request">Request</h2>
        {data.requestHeaders && <Code label="Request headers" text={written(data.requestHeaders)} />}
        {data.requestBody === null ? (
          <p class="hint">The body is not kept any more.</p>
        ) : (
          <Code label="Request body" text={indented(data.requestBody)} />
        )}
      </section>
    </>
  );
}

const Facts = ({ delivery }: { delivery: Detail }) => (
  <dl class="card facts">
    <div>
      <dt>Status</dt>
      <dd>
        <Badge tone={deliveryTones[delivery.status]}>{worded(delivery.status)}</Badge>
      </dd>
    </div>
    <div>
      <dt>Created</dt>
      <dd>
        <When at={delivery.createdAt} />
      </dd>
    </div>
    {delivery.nextAttemptAt && (
      <div>
        <dt>Next attempt</dt>
        <dd>
          <When at={delivery.nextAttemptAt} />
        </dd>
      </div>
    )}
    <div>
      <dt>Event</dt>
      <dd>
        <code>{delivery.eventId}</code> <CopyButton text={delivery.eventId} label="Copy the event’s id" />
      </dd>
    </div>
    <div>
      <dt>Delivery</dt>
      <dd>
        <code>{delivery.deliveryId}</code> <CopyButton text={delivery.deliveryId} label="Copy the delivery’s id" />
      </dd>
    </div>
    {delivery.replayOfId !== null && (
      <div>
        <dt>Replay of</dt>
        <dd>
          <a href={linkTo(`/developers/webhooks/${delivery.endpointId}/deliveries/${delivery.replayOfId}`)}>
            Delivery {delivery.replayOfId}
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
      <h2 id="attempts">Attempts</h2>
      {attempts.length === 0 && <p class="hint">It has not been sent yet.</p>}
      <ol class="plain stack">
        {[...attempts].reverse().map((attempt) => (
          <li key={attempt.number}>
            <details open={attempt.number === newest}>
              <summary>
                <span class="row inline">
                  <span>Attempt {count(attempt.number)}</span>
                  <Badge tone={attempt.errorClass || attempt.error ? 'bad' : 'good'}>
                    {attempt.responseStatus ?? worded(attempt.errorClass ?? 'failed')}
                  </Badge>
                  <span>{count(attempt.durationMs)} ms</span>
                  <When at={attempt.startedAt} />
                </span>
              </summary>
              <div class="stack inset">
                {(attempt.errorClass || attempt.error) && (
                  <p class="problem">
                    {attempt.errorClass ? errorClasses[attempt.errorClass] : 'It failed'}
                    {attempt.error && `: ${attempt.error}`}
                  </p>
                )}
                {Object.keys(attempt.responseHeaders ?? {}).length > 0 && (
                  <Code
                    label={`Response headers of attempt ${attempt.number}`}
                    text={written(attempt.responseHeaders)}
                  />
                )}
                {attempt.number === newest && responseBody && (
                  <Code label="Response body" text={indented(responseBody)} />
                )}
              </div>
            </details>
          </li>
        ))}
      </ol>
    </section>
  );
}
