import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { place } from '../../app/route.ts';
import { allScopes, isPowerful } from '../../app/scopes.ts';
import { environment } from '../../app/session.ts';
import { count } from '../../app/show.ts';
import { Badge } from '../../parts/badge.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Choice, Filters, filter } from '../../parts/filters.tsx';
import { Head } from '../../parts/head.tsx';
import { Menu } from '../../parts/menu.tsx';
import { type Column, cursor, Paged } from '../../parts/paged.tsx';
import { Secret } from '../../parts/secret.tsx';
import { When } from '../../parts/when.tsx';
import { EditKey, Revoke } from './edit-key.tsx';

type Key = Schema<'Key'>;

const isOver = ({ expiresAt }: Key) => expiresAt !== null && new Date(expiresAt) < new Date();

export default function Keys() {
  const state = filter('state') ?? 'usable';
  const keys = useLoaded(
    (signal) =>
      api.get('/v1/keys', {
        signal,
        params: {
          query: {
            limit: 50,
            after: cursor(),
            env: environment.value,
            isRevoked: state === 'all' ? undefined : state === 'revoked',
          },
        },
      }),
    [String(place.value.query)],
    touching('key'),
  );
  const [open, setOpen] = useState<'new' | { of: 'edit' | 'revoke'; key: Key }>();
  const [minted, setMinted] = useState<string>();
  const close = () => setOpen(undefined);
  return (
    <>
      <Head title="API keys">
        <button type="button" class="primary" data-new onClick={() => setOpen('new')}>
          New key
        </button>
      </Head>
      <Filters>
        <Choice
          label="State"
          name="state"
          all="Usable"
          options={[
            ['revoked', 'Revoked'],
            ['all', 'All'],
          ]}
        />
      </Filters>
      <Paged
        caption="API keys"
        of={keys}
        columns={[
          ...columns,
          {
            title: 'Actions',
            show: (key) =>
              key.revokedAt === null && (
                <Menu
                  text="Actions"
                  label={`Actions for ${key.name}`}
                  items={[
                    { text: 'Edit', choose: () => setOpen({ of: 'edit', key }) },
                    { text: 'Revoke', isDangerous: true, choose: () => setOpen({ of: 'revoke', key }) },
                  ]}
                />
              ),
          },
        ]}
        keyOf={({ id }) => id}
        skeletonRows={3}
        empty={
          <Empty title={state === 'revoked' ? 'No key was revoked' : 'No keys yet'}>
            <p>
              A key lets a program use the API in your workspace, with no more scopes than you give it. This is the{' '}
              {environment.value === 'test' ? 'sandbox' : 'live environment'}.
            </p>
          </Empty>
        }
      />
      {open === 'new' && <EditKey onMinted={setMinted} onDone={keys.reload} onClose={close} />}
      {typeof open === 'object' && open.of === 'edit' && (
        <EditKey of={open.key} onMinted={setMinted} onDone={keys.reload} onClose={close} />
      )}
      {typeof open === 'object' && open.of === 'revoke' && (
        <Revoke of={open.key} onDone={keys.reload} onClose={close} />
      )}
      {minted !== undefined && (
        <Secret title="Your new key" label="The key" text={minted} onClose={() => setMinted(undefined)} />
      )}
    </>
  );
}

const columns: readonly Column<Key>[] = [
  {
    title: 'Name',
    show: ({ name, keyId, env }) => (
      <>
        {name}
        <p class="hint">
          <code>
            csk_{env}_{keyId}…
          </code>
        </p>
      </>
    ),
  },
  {
    title: 'Scopes',
    isWide: true,
    show: ({ scopes }) => (
      <details>
        <summary>
          {scopes.length === allScopes.length ? 'All' : count(scopes.length)}
          {scopes.some(isPowerful) && (
            <>
              {' '}
              <Badge tone="warn">Powerful</Badge>
            </>
          )}
        </summary>
        {scopes.join(', ')}
      </details>
    ),
  },
  {
    title: 'Limits',
    isWide: true,
    show: ({ rateLimitPerMinute, ipAllowlist }) => (
      <>
        {count(rateLimitPerMinute)} a minute
        <p class="hint">{ipAllowlist.length === 0 ? 'from any address' : `from ${ipAllowlist.join(', ')}`}</p>
      </>
    ),
  },
  {
    title: 'Last used',
    isWide: true,
    show: ({ lastUsedAt, lastUsedIp }) =>
      lastUsedAt ? (
        <>
          <When at={lastUsedAt} />
          {lastUsedIp && <p class="hint">{lastUsedIp}</p>}
        </>
      ) : (
        'Never'
      ),
  },
  {
    title: 'State',
    show: (key) =>
      key.revokedAt !== null ? (
        <>
          <Badge>Revoked</Badge>{' '}
          <span class="hint">
            <When at={key.revokedAt} />
          </span>
        </>
      ) : isOver(key) ? (
        <Badge tone="bad">Expired</Badge>
      ) : (
        <>
          <Badge tone="good">Usable</Badge>
          {key.expiresAt && (
            <p class="hint">
              Expires <When at={key.expiresAt} />
            </p>
          )}
        </>
      ),
  },
];
