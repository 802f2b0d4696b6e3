import { ApiError, type Schema } from '../../../client/index.ts';
import { useAfterFirst } from '../../app/after-first.ts';
import { api } from '../../app/api.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { namesOf, useMemberList } from '../../app/names.ts';
import { linkTo } from '../../app/route.ts';
import { may, mayChange } from '../../app/session.ts';
import { nameOf } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { useVisited } from '../../app/visited.ts';
import { Archived } from '../../parts/archived.tsx';
import { Back } from '../../parts/back.tsx';
import { CustomFields, useFields } from '../../parts/custom-fields.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Head } from '../../parts/head.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Addresses } from './addresses.tsx';
import { Companies } from './companies.tsx';
import { Details } from './details.tsx';
import { Duplicates } from './duplicates.tsx';
import { More } from './more.tsx';
import type { OneContact } from './one.ts';
import { Standing } from './standing.tsx';
import { Tags } from './tags.tsx';
import { Timeline } from './timeline.tsx';
import { Deals, Tasks } from './work.tsx';

/** One contact with everything that is known of them. */
export function Contact({ id }: { id: number }) {
  const path = { id };
  const contact: OneContact = useLoaded(
    (signal) =>
      api.get('/v1/contacts/{id}', {
        signal,
        params: { path, query: { include: 'fields,companies,addresses,archive' } },
      }),
    [id],
    (event) =>
      touching('contact', 'message')(event) && (event.data as { contact_id?: string }).contact_id === String(id),
  );
  const members = useMemberList();
  const fields = useFields('contact');
  const { data, error, reload } = contact;
  useVisited('contact', data && nameOf(data));
  const isTime = useAfterFirst();
  const suppressions = useLoaded(
    async (signal) => {
      const address = data?.email;
      if (!isTime || !address || !may('email:read')) return [];
      return (await api.get('/v1/email/suppressions', { signal, params: { query: { address } } })).items;
    },
    [isTime, data?.email],
    ({ event }) => /^(contact\.unsubscribed|email\.)/.test(event),
  );
  const back = <Back to={linkTo('/contacts')}>{t.common.contacts}</Back>;
  if (!data)
    return (
      <>
        <Head title={t.common.contact} above={back} />
        {error instanceof ApiError && error.status === 404 ? (
          <Empty title={t.contacts.thereIsNoSuchContact}>
            <p>{t.contacts.itWasMergedIntoAnother}</p>
          </Empty>
        ) : error !== undefined ? (
          <Failure error={error} again={reload} />
        ) : (
          <Skeleton lines={8} />
        )}
      </>
    );
  const names = namesOf(members);
  const suppressed: readonly Schema<'SuppressionReason'>[] = (suppressions.data ?? []).flatMap(
    ({ reasons }) => reasons,
  );
  return (
    <>
      <Head title={nameOf(data)} above={back}>
        <More contact={contact} suppressed={suppressed} onSuppressed={suppressions.reload} />
        {!data.archive && (
          <a class="button primary" href={linkTo(`/inbox/${id}`)}>
            {t.contacts.write}
          </a>
        )}
      </Head>
      <Archived noun="contacts" of={data} name={nameOf(data)} names={names} reload={reload} />
      <div class="beside">
        <div>
          <Timeline id={id} name={nameOf(data)} names={names} fields={fields} isFixed={!!data.archive} />
        </div>
        <div>
          <Standing contact={contact} members={members} />
          <Details contact={contact} suppressed={suppressed} />
          <Addresses contact={contact} />
          <CustomFields
            definitions={fields}
            path={`/v1/contacts/${id}/fields`}
            values={data.fields ?? {}}
            names={names}
            isFixed={!mayChange('contacts:write', data)}
            save={async (fields, header) => {
              const saved = await api.patch('/v1/contacts/{id}/fields', { params: { path, header }, body: { fields } });
              contact.change((of) => ({ ...of, fields: saved.fields }));
            }}
          />
          <Companies contact={contact} />
          <Tags contact={contact} />
          {may('deals:read') && <Deals contact={data} />}
          {may('tasks:read') && <Tasks contact={data} />}
          {!data.archive && <Duplicates of={data} merged={reload} />}
        </div>
      </div>
    </>
  );
}
