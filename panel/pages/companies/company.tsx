import { useState } from 'preact/hooks';
import { ApiError } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { archiving } from '../../app/archive.ts';
import { type AnyEvent, touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { namesOf, useMemberList } from '../../app/names.ts';
import { linkTo } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { t } from '../../app/texts.ts';
import { Back } from '../../parts/back.tsx';
import { Badge } from '../../parts/badge.tsx';
import { CustomFields, useFields } from '../../parts/custom-fields.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Head } from '../../parts/head.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Deals } from '../contacts/work.tsx';
import { Details } from './details.tsx';
import { Duplicates } from './duplicates.tsx';
import { History } from './history.tsx';
import { MergeAnother } from './merge.tsx';
import type { OneCompany } from './one.ts';
import { People } from './people.tsx';

const isOf = (id: number) => (event: AnyEvent) =>
  touching('company')(event) && (event.data as { company_id?: string }).company_id === String(id);

/** One company: what is known of it, its people, deals, and history. */
export function Company({ id }: { id: number }) {
  const path = { id };
  const company: OneCompany = useLoaded(
    (signal) => api.get('/v1/companies/{id}', { signal, params: { path, query: { include: 'fields,archive' } } }),
    [id],
    isOf(id),
  );
  const members = useMemberList();
  const fields = useFields('company');
  const [isMerging, setMerging] = useState(false);
  const { data, error, reload } = company;
  const back = <Back to={linkTo('/companies')}>{t.companies.companies}</Back>;
  if (!data)
    return (
      <>
        <Head title={t.companies.company} above={back} />
        {error instanceof ApiError && error.status === 404 ? (
          <Empty title={t.companies.thereIsNoSuchCompany}>
            <p>{t.companies.itWasMergedIntoAnother}</p>
          </Empty>
        ) : error !== undefined ? (
          <Failure error={error} again={reload} />
        ) : (
          <Skeleton lines={8} />
        )}
      </>
    );
  const archived = archiving({ noun: 'companies', id, name: data.name, archive: data.archive, reload });
  const names = namesOf(members);
  return (
    <>
      <Head title={data.name} above={back}>
        {data.archive && <Badge>{t.common.archived}</Badge>}
        {may('companies:write') && (
          <>
            <button type="button" onClick={archived.choose}>
              {archived.text}
            </button>
            <button type="button" onClick={() => setMerging(true)}>
              {t.contacts.mergeMore}
            </button>
          </>
        )}
      </Head>
      <div class="beside">
        <div>
          {may('contacts:read') && <People company={data} />}
          {may('deals:read') && <Deals company={data} />}
          <History id={id} names={names} fields={fields} />
        </div>
        <div>
          <Details company={company} members={members} />
          <CustomFields
            definitions={fields}
            path={`/v1/companies/${id}/fields`}
            values={data.fields ?? {}}
            names={names}
            isFixed={!may('companies:write')}
            save={async (given, header) => {
              const body = { fields: given };
              const saved = await api.patch('/v1/companies/{id}/fields', { params: { path, header }, body });
              company.change((of) => ({ ...of, fields: saved.fields }));
            }}
          />
          <Duplicates of={data} fields={fields} names={names} onMerged={reload} />
        </div>
      </div>
      {isMerging && (
        <MergeAnother of={data} fields={fields} names={names} onMerged={reload} onClose={() => setMerging(false)} />
      )}
    </>
  );
}
