import { useMemo, useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { useDue } from '../../app/live.ts';
import { type Loaded, useLoaded } from '../../app/load.ts';
import { linkTo, place } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { counted } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Empty } from '../../parts/empty.tsx';
import { filled } from '../../parts/filled.tsx';
import { Choice, Filters, filter } from '../../parts/filters.tsx';
import { Head } from '../../parts/head.tsx';
import type { PageProps } from '../../parts/page.ts';
import { type Column, cursor, Paged } from '../../parts/paged.tsx';
import { Secret } from '../../parts/secret.tsx';
import { When } from '../../parts/when.tsx';
import { DeliveryPage } from './delivery.tsx';
import { EditEndpoint } from './edit-endpoint.tsx';
import { EndpointPage } from './endpoint.tsx';
import { type Day, LastDay, loadDays } from './spark.tsx';
import { healthOf } from './tones.ts';

type Endpoint = Schema<'Endpoint'>;

export default function Webhooks({ variables: { id, deliveryId } }: PageProps) {
  if (id === undefined) return <Endpoints />;
  if (deliveryId === undefined) return <EndpointPage key={id} id={Number(id)} />;
  return <DeliveryPage key={deliveryId} id={Number(id)} deliveryId={deliveryId} />;
}

const columnsWith = (days: ReadonlyMap<number, Day> | undefined): readonly Column<Endpoint>[] => [
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
    show: (endpoint) => {
      const { tone, text } = healthOf(endpoint);
      return (
        <>
          <Badge tone={tone}>{text}</Badge>
          {endpoint.consecutiveFailures > 0 && (
            <p class="hint">{t.developers.inARow(counted(endpoint.consecutiveFailures, t.units.failure))}</p>
          )}
        </>
      );
    },
  },
  {
    get title() {
      return t.developers.theLast24Hours;
    },
    isWide: true,
    show: ({ id }) => <LastDay day={days?.get(id)} />,
  },
  {
    get title() {
      return t.common.events;
    },
    isWide: true,
    show: ({ eventKinds, filter }) => (
      <>
        {eventKinds.includes('*') ? t.common.all : counted(eventKinds.length, t.units.kind)}
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

const refreshMs = 30_000;
/** While one fails, a pause may begin at any attempt. */
const failingMs = 10_000;

/** Returns when a list that was loaded now is loaded again: at the end of a pause, else after ten seconds or half a minute. */
function useRefreshAt(data: { items: readonly Endpoint[] } | undefined): number {
  return useMemo(() => {
    const ends = (data?.items ?? [])
      .map(({ pausedUntil }) => Date.parse(pausedUntil ?? ''))
      .filter((at) => at > Date.now());
    const isFailing = data?.items.some(({ status }) => status === 'degraded');
    return Math.min(Date.now() + (isFailing ? failingMs : refreshMs), ...ends);
  }, [data]);
}

/** The same list, the worst first. */
const byHealth = <Of extends { items: readonly Endpoint[] }>(of: Loaded<Of>): Loaded<Of> => ({
  ...of,
  data: of.data && {
    ...of.data,
    items: of.data.items.toSorted((one, other) => healthOf(other).rank - healthOf(one).rank),
  },
});

function Endpoints() {
  const endpoints = useLoaded(
    (signal) => api.get('/v1/webhooks', { signal, params: { query: { limit: 50, after: cursor() } } }),
    [String(place.value.query)],
  );
  const days = useLoaded(loadDays, []);
  useDue(() => {
    endpoints.reload();
    days.reload();
  }, useRefreshAt(endpoints.data));
  const isByHealth = filter('order') === 'health';
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
      <Filters>
        <Choice
          label={t.developers.order}
          name="order"
          all={t.developers.newestFirst}
          options={[['health', t.developers.worstFirst]]}
        />
      </Filters>
      <Paged
        caption={t.developers.webhookEndpoints}
        of={isByHealth ? byHealth(endpoints) : endpoints}
        columns={columnsWith(days.data)}
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
