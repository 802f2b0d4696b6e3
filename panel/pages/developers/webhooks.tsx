import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { useLoaded } from '../../app/load.ts';
import { linkTo, place } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { count, counted, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Empty } from '../../parts/empty.tsx';
import { filled } from '../../parts/filled.tsx';
import { Head } from '../../parts/head.tsx';
import type { PageProps } from '../../parts/page.ts';
import { type Column, cursor, Paged } from '../../parts/paged.tsx';
import { Secret } from '../../parts/secret.tsx';
import { When } from '../../parts/when.tsx';
import { DeliveryPage } from './delivery.tsx';
import { EditEndpoint } from './edit-endpoint.tsx';
import { EndpointPage } from './endpoint.tsx';
import { health } from './tones.ts';

type Endpoint = Schema<'Endpoint'>;

export default function Webhooks({ variables: { id, deliveryId } }: PageProps) {
  if (id === undefined) return <Endpoints />;
  if (deliveryId === undefined) return <EndpointPage key={id} id={Number(id)} />;
  return <DeliveryPage key={deliveryId} id={Number(id)} deliveryId={deliveryId} />;
}

const columns: readonly Column<Endpoint>[] = [
  {
    get title() {
      return t.developers.endpoint;
    },
    show: ({ id, url, description }) => (
      <>
        <a href={linkTo(`/developers/webhooks/${id}`)}>{url}</a>
        {description && <p class="hint">{description}</p>}
      </>
    ),
  },
  {
    get title() {
      return t.developers.health;
    },
    show: ({ status, isActive, consecutiveFailures }) => (
      <>
        <Badge tone={isActive ? health[status] : 'plain'}>{isActive ? worded(status) : t.common.off}</Badge>
        {consecutiveFailures > 0 && (
          <p class="hint">
            {filled(t.developers.inARowConsecutiveFailures, {
              consecutiveFailures: counted(consecutiveFailures, t.units.failure),
            })}
          </p>
        )}
      </>
    ),
  },
  {
    get title() {
      return t.common.events;
    },
    isWide: true,
    show: ({ eventKinds, filter }) => (
      <>
        {eventKinds.includes('*') ? t.common.all : t.developers.kindsLength(count(eventKinds.length))}
        {filter && <p class="hint">{t.developers.filtered}</p>}
      </>
    ),
  },
  {
    get title() {
      return t.developers.lastSuccess;
    },
    isWide: true,
    show: ({ lastSuccessAt }) => (lastSuccessAt ? <When at={lastSuccessAt} /> : '–'),
  },
];

function Endpoints() {
  const endpoints = useLoaded(
    (signal) => api.get('/v1/webhooks', { signal, params: { query: { limit: 50, after: cursor() } } }),
    [String(place.value.query)],
  );
  const [isNew, setNew] = useState(false);
  const [secret, setSecret] = useState<string>();
  return (
    <>
      <Head title={t.common.webhooks}>
        {may('webhooks:write') && (
          <button type="button" class="primary" data-new onClick={() => setNew(true)}>
            {t.developers.newEndpoint}
          </button>
        )}
      </Head>
      <Paged
        caption={t.developers.webhookEndpoints}
        of={endpoints}
        columns={columns}
        keyOf={({ id }) => id}
        skeletonRows={3}
        empty={
          <Empty title={t.developers.noEndpointsYet}>
            <p>{t.developers.registerAUrlOfYours}</p>
            <p>{filled(t.developers.onYourOwnMachineDoes, { code: <code>npx crm listen --forward-to URL</code> })}</p>
          </Empty>
        }
      />
      {isNew && <EditEndpoint onSecret={setSecret} onDone={endpoints.reload} onClose={() => setNew(false)} />}
      {secret !== undefined && (
        <Secret
          title={t.developers.theSigningSecret}
          label={t.developers.theSecret}
          text={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  );
}
