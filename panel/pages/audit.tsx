import type { Schema } from '../../client/index.ts';
import { api } from '../app/api.ts';
import { useKeyNames } from '../app/key-names.ts';
import { useLoaded } from '../app/load.ts';
import { memberName, type Names, useMembers } from '../app/names.ts';
import { linkTo, place } from '../app/route.ts';
import { shortTime } from '../app/show.ts';
import { t } from '../app/texts.ts';
import { Badge } from '../parts/badge.tsx';
import { Empty } from '../parts/empty.tsx';
import { Choice, Filters, filter } from '../parts/filters.tsx';
import { Head } from '../parts/head.tsx';
import { cursor, Paged } from '../parts/paged.tsx';

type AuditEvent = Schema<'AuditEvent'>;
type Method = 'post' | 'patch' | 'put' | 'delete';

/** Where a record has a page. */
const placesOf: Partial<Record<string, string>> = {
  contact: '/contacts',
  deal: '/deals',
  webhook: '/developers/webhooks',
};

/** Who has changed what, and what was refused: for 90 days. */
export default function Audit() {
  const audit = useLoaded(
    (signal) => {
      const query = {
        limit: 100,
        after: cursor(),
        keyId: filter('key'),
        method: filter('method') as Method | undefined,
      };
      return api.get('/v1/audit-events', { signal, params: { query } });
    },
    [String(place.value.query)],
  );
  const members = useMembers();
  const keys = useKeyNames(true);
  const isFiltered = place.value.query.size > 0;
  return (
    <>
      <Head title={t.audit.title}>
        <button type="button" onClick={audit.reload}>
          {t.common.refresh}
        </button>
      </Head>
      <Filters>
        <Choice label={t.audit.key} name="key" all={t.common.anybody} options={[...keys]} />
        <Choice
          label={t.audit.method}
          name="method"
          options={(['post', 'patch', 'put', 'delete'] as const).map((method) => [method, method.toUpperCase()])}
        />
      </Filters>
      <Paged
        caption={t.audit.title}
        of={audit}
        columns={[
          { title: t.common.when, show: ({ createdAt }) => <time dateTime={createdAt}>{shortTime(createdAt)}</time> },
          { title: t.audit.actor, show: (event) => actorOf(event, members, keys) },
          {
            title: t.audit.call,
            show: ({ method, path, resourceType, resourceId }) => {
              const at = placesOf[resourceType];
              return (
                <>
                  <code>
                    {method} {path}
                  </code>{' '}
                  {at && resourceId !== null && <a href={linkTo(`${at}/${resourceId}`)}>{t.audit.open}</a>}
                </>
              );
            },
          },
          {
            title: t.common.status,
            show: ({ status }) => <Badge tone={status < 400 ? 'good' : 'bad'}>{status}</Badge>,
          },
          { title: t.audit.from, isWide: true, show: ({ ip }) => ip },
          { title: t.audit.request, isWide: true, show: ({ requestId }) => <code>{requestId}</code> },
        ]}
        keyOf={({ id }) => id}
        empty={
          <Empty title={t.audit.nothing}>
            {isFiltered ? (
              <a href={linkTo('/developers/audit')}>{t.common.showEverything}</a>
            ) : (
              <p>{t.audit.everyWrite}</p>
            )}
          </Empty>
        }
      />
    </>
  );
}

function actorOf({ actor, keyId }: AuditEvent, members: Names, keys: ReadonlyMap<string, string>): string {
  if (actor.type === 'user') return memberName(members, Number(actor.id));
  return keys.get(keyId ?? '') ?? t.contacts.apiKey(keyId ?? '');
}
