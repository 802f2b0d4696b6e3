import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { place } from '../../app/route.ts';
import { allScopes, isPowerful } from '../../app/scopes.ts';
import { environment } from '../../app/session.ts';
import { count } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Empty } from '../../parts/empty.tsx';
import { filled } from '../../parts/filled.tsx';
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
      <Head title={t.common.apiKeys}>
        <button type="button" class="primary" data-new onClick={() => setOpen('new')}>
          {t.developers.newKey}
        </button>
      </Head>
      <Filters>
        <Choice
          label={t.common.state}
          name="state"
          all={t.developers.usable}
          options={[
            ['revoked', t.developers.revoked],
            ['all', t.common.all],
          ]}
        />
      </Filters>
      <Paged
        caption={t.common.apiKeys}
        of={keys}
        columns={[
          ...columns,
          {
            title: t.common.actions,
            isHidden: true,
            show: (key) =>
              key.revokedAt === null && (
                <Menu
                  text="⋯"
                  label={t.common.actionsFor(key.name)}
                  items={[
                    { text: t.common.edit, choose: () => setOpen({ of: 'edit', key }) },
                    { text: t.developers.revoke2, isDangerous: true, choose: () => setOpen({ of: 'revoke', key }) },
                  ]}
                />
              ),
          },
        ]}
        keyOf={({ id }) => id}
        skeletonRows={3}
        empty={
          <Empty title={state === 'revoked' ? t.developers.noKeyWasRevoked : t.developers.noKeysYet}>
            <p>
              {filled(t.developers.aKeyLetsAProgram, {
                value: environment.value === 'test' ? 'sandbox' : t.developers.liveEnvironment,
              })}
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
        <Secret
          title={t.developers.yourNewKey}
          label={t.developers.theKey}
          text={minted}
          onClose={() => setMinted(undefined)}
        />
      )}
    </>
  );
}

const columns: readonly Column<Key>[] = [
  {
    get title() {
      return t.common.name;
    },
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
    get title() {
      return t.developers.scopes;
    },
    isWide: true,
    show: ({ scopes }) => (
      <details>
        <summary>
          {scopes.length === allScopes.length ? t.common.all : count(scopes.length)}
          {scopes.some(isPowerful) && (
            <>
              {' '}
              <Badge tone="warn">{t.developers.powerful}</Badge>
            </>
          )}
        </summary>
        {scopes.join(', ')}
      </details>
    ),
  },
  {
    get title() {
      return t.developers.limits;
    },
    isWide: true,
    show: ({ rateLimitPerMinute, ipAllowlist }) => (
      <>
        {filled(t.developers.aMinute, { rateLimitPerMinute: count(rateLimitPerMinute) })}
        <p class="hint">
          {ipAllowlist.length === 0 ? t.developers.fromAnyAddress : t.developers.from(ipAllowlist.join(', '))}
        </p>
      </>
    ),
  },
  {
    get title() {
      return t.developers.lastUsed;
    },
    isWide: true,
    show: ({ lastUsedAt, lastUsedIp }) =>
      lastUsedAt ? (
        <>
          <When at={lastUsedAt} />
          {lastUsedIp && <p class="hint">{lastUsedIp}</p>}
        </>
      ) : (
        t.common.never
      ),
  },
  {
    get title() {
      return t.common.state;
    },
    show: (key) =>
      key.revokedAt !== null ? (
        <>
          <Badge>{t.developers.revoked}</Badge>{' '}
          <span class="hint">
            <When at={key.revokedAt} />
          </span>
        </>
      ) : isOver(key) ? (
        <Badge tone="bad">{t.developers.expired}</Badge>
      ) : (
        <>
          <Badge tone="good">{t.developers.usable}</Badge>
          {key.expiresAt && (
            <p class="hint">{filled(t.developers.expiresWhen, { when: <When at={key.expiresAt} /> })}</p>
          )}
        </>
      ),
  },
];
