import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { useLoaded } from '../../app/load.ts';
import { linkTo, place } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { count, counted, worded } from '../../app/show.ts';
import { Badge } from '../../parts/badge.tsx';
import { Empty } from '../../parts/empty.tsx';
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
    title: 'Endpoint',
    show: ({ id, url, description }) => (
      <>
        <a href={linkTo(`/developers/webhooks/${id}`)}>{url}</a>
        {description && <p class="hint">{description}</p>}
      </>
    ),
  },
  {
    title: 'Health',
    show: ({ status, isActive, consecutiveFailures }) => (
      <>
        <Badge tone={isActive ? health[status] : 'plain'}>{isActive ? worded(status) : 'Off'}</Badge>
        {consecutiveFailures > 0 && <p class="hint">{counted(consecutiveFailures, 'failure')} in a row</p>}
      </>
    ),
  },
  {
    title: 'Events',
    isWide: true,
    show: ({ eventKinds, filter }) => (
      <>
        {eventKinds.includes('*') ? 'All' : `${count(eventKinds.length)} kinds`}
        {filter && <p class="hint">filtered</p>}
      </>
    ),
  },
  {
    title: 'Last success',
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
      <Head title="Webhooks">
        {may('webhooks:write') && (
          <button type="button" class="primary" data-new onClick={() => setNew(true)}>
            New endpoint
          </button>
        )}
      </Head>
      <Paged
        caption="Webhook endpoints"
        of={endpoints}
        columns={columns}
        keyOf={({ id }) => id}
        skeletonRows={3}
        empty={
          <Empty title="No endpoints yet">
            <p>
              Register a URL of yours, and each event is sent to it within a second, signed, and again until it is
              taken.
            </p>
            <p>
              On your own machine <code>npx crm listen --forward-to URL</code> does without one.
            </p>
          </Empty>
        }
      />
      {isNew && <EditEndpoint onSecret={setSecret} onDone={endpoints.reload} onClose={() => setNew(false)} />}
      {secret !== undefined && (
        <Secret title="The signing secret" label="The secret" text={secret} onClose={() => setSecret(undefined)} />
      )}
    </>
  );
}
