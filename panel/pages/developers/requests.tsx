import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { useLoaded } from '../../app/load.ts';
import { linkTo, place } from '../../app/route.ts';
import { count } from '../../app/show.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Choice, Filters, filter, SearchField } from '../../parts/filters.tsx';
import { Head } from '../../parts/head.tsx';
import { type Column, cursor, Paged } from '../../parts/paged.tsx';
import { When } from '../../parts/when.tsx';

type Request = Schema<'RequestLog'>;

const toneOf = (status: number): Tone => (status < 400 ? 'good' : status < 500 ? 'warn' : 'bad');

const columns: readonly Column<Request>[] = [
  {
    title: 'Request',
    show: ({ method, path, reason }) => (
      <>
        <code>
          {method} {path}
        </code>
        {reason && <p class="hint">{reason}</p>}
      </>
    ),
  },
  { title: 'Status', show: ({ status }) => <Badge tone={toneOf(status)}>{status}</Badge> },
  { title: 'Took', isWide: true, isNumber: true, show: ({ durationMs }) => `${count(durationMs)} ms` },
  {
    title: 'Key',
    isWide: true,
    show: ({ keyId, ip }) => (
      <>
        <a href={linkTo('/developers/requests', { keyId })}>{keyId}</a>
        <p class="hint">{ip}</p>
      </>
    ),
  },
  { title: 'When', show: ({ at }) => <When at={at} /> },
  {
    title: 'Request id',
    isWide: true,
    show: ({ requestId }) => <CopyButton text={requestId} label={`Copy the request id ${requestId}`} />,
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
            method: filter('method') as (typeof methods)[number] | undefined,
          },
        },
      }),
    [String(place.value.query)],
  );
  return (
    <>
      <Head title="Requests">
        <button type="button" onClick={requests.reload} disabled={requests.isLoading}>
          Refresh
        </button>
      </Head>
      <Filters>
        <SearchField label="Route" name="route" />
        <Choice
          label="Method"
          name="method"
          all="Every method"
          options={methods.map((method) => [method, method.toUpperCase()])}
        />
        <Choice
          label="Status"
          name="status"
          all="Every status"
          options={[
            ['2xx', '2xx: done'],
            ['4xx', '4xx: refused'],
            ['429', '429: too many'],
            ['5xx', '5xx: failed'],
          ]}
        />
      </Filters>
      {filter('keyId') && (
        <p class="hint">
          Only of the key <code>{filter('keyId')}</code>. <a href={linkTo('/developers/requests')}>Show everything</a>
        </p>
      )}
      <Paged
        caption="Requests"
        of={requests}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty title={place.value.query.size > 0 ? 'No requests like that' : 'No requests yet'}>
            <p>What programs ask with their keys is here for 7 days, a minute after it was asked.</p>
            {filter('route') && (
              <p>
                A route is written as the reference has it: <code>/v1/contacts/{'{id}'}</code>
              </p>
            )}
          </Empty>
        }
      />
    </>
  );
}
