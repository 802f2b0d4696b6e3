import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { useLoaded } from '../../app/load.ts';
import { linkTo, place } from '../../app/route.ts';
import { count } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { filled } from '../../parts/filled.tsx';
import { Choice, Filters, filter, SearchField } from '../../parts/filters.tsx';
import { Head } from '../../parts/head.tsx';
import { type Column, cursor, Paged } from '../../parts/paged.tsx';
import { When } from '../../parts/when.tsx';

type Request = Schema<'RequestLog'>;

const toneOf = (status: number): Tone => (status < 400 ? 'good' : status < 500 ? 'warn' : 'bad');

const columns: readonly Column<Request>[] = [
  {
    get title() {
      return t.developers.request;
    },
    show: ({ method, path, reason }) => (
      <>
        <code>
          {method} {path}
        </code>
        {reason && <p class="hint">{reason}</p>}
      </>
    ),
  },
  {
    get title() {
      return t.common.status;
    },
    show: ({ status }) => <Badge tone={toneOf(status)}>{status}</Badge>,
  },
  {
    get title() {
      return t.developers.took;
    },
    isWide: true,
    isNumber: true,
    show: ({ durationMs }) => t.developers.msDurationMs(count(durationMs)),
  },
  {
    get title() {
      return t.developers.key;
    },
    isWide: true,
    show: ({ keyId, ip }) => (
      <>
        <a href={linkTo('/developers/requests', { keyId })}>{keyId}</a>
        <p class="hint">{ip}</p>
      </>
    ),
  },
  {
    get title() {
      return t.common.when;
    },
    show: ({ at }) => <When at={at} />,
  },
  {
    get title() {
      return t.developers.requestId;
    },
    isWide: true,
    show: ({ requestId }) => <CopyButton text={requestId} label={t.developers.copyTheRequestId(requestId)} />,
  },
];

const methods = ['get', 'post', 'patch', 'put', 'delete'] as const;

export default function Requests() {
  const requests = useLoaded(
    (signal) =>
      api.get('/v1/request-logs', {
        signal,
        params: {
          query: {
            limit: 50,
            after: cursor(),
            route: filter('route'),
            status: filter('status'),
            keyId: filter('keyId'),
            requestId: filter('requestId'),
            method: filter('method') as (typeof methods)[number] | undefined,
          },
        },
      }),
    [String(place.value.query)],
  );
  return (
    <>
      <Head title={t.common.requests}>
        <button type="button" onClick={requests.reload} disabled={requests.isLoading}>
          {t.common.refresh}
        </button>
      </Head>
      <Filters>
        <SearchField label={t.developers.route} name="route" />
        <SearchField label={t.developers.requestId} name="requestId" />
        <Choice
          label={t.developers.method}
          name="method"
          all={t.developers.everyMethod}
          options={methods.map((method) => [method, method.toUpperCase()])}
        />
        <Choice
          label={t.common.status}
          name="status"
          all={t.common.everyStatus}
          options={[
            ['2xx', '2xx: done'],
            ['4xx', '4xx: refused'],
            ['429', t.developers.n429TooMany],
            ['5xx', '5xx: failed'],
          ]}
        />
      </Filters>
      {filter('keyId') && (
        <p class="hint">
          {filled(t.developers.onlyOfTheKey, { code: <code>{filter('keyId')}</code> })}{' '}
          <a href={linkTo('/developers/requests')}>{t.common.showEverything}</a>
        </p>
      )}
      <Paged
        caption={t.common.requests}
        of={requests}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty title={place.value.query.size > 0 ? t.developers.noRequestsLikeThat : t.developers.noRequestsYet}>
            <p>{t.developers.whatProgramsAskWithTheir}</p>
            {filter('route') && (
              <p>{filled(t.developers.aRouteIsWrittenAs, { code: <code>/v1/contacts/{'{id}'}</code> })}</p>
            )}
          </Empty>
        }
      />
    </>
  );
}
