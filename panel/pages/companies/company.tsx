import { useState } from 'preact/hooks';
import { ApiError } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { archiving } from '../../app/archive.ts';
import { type AnyEvent, touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { namesOf, useMemberList } from '../../app/names.ts';
import { linkTo } from '../../app/route.ts';
import { may, mayChange } from '../../app/session.ts';
import { t } from '../../app/texts.ts';
import { useVisited } from '../../app/visited.ts';
import { Archived } from '../../parts/archived.tsx';
import { Back } from '../../parts/back.tsx';
import { CustomFields, useFields } from '../../parts/custom-fields.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Head } from '../../parts/head.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Metadata } from '../../parts/metadata.tsx';
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
  const [open, setOpen] = useState<'metadata' | 'merge'>();
  const close = () => setOpen(undefined);
  const { data, error, reload } = company;
  useVisited('company', data?.name);
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
  const names = namesOf(members);
  return (
    <>
      <Head title={data.name} above={back}>
        {mayChange('companies:write', data) && (
          <Menu
            text={t.contacts.more}
            label={t.contacts.moreFor(data.name)}
            items={[
              { text: t.contacts.metadataMore, choose: () => setOpen('metadata') },
              { text: t.contacts.mergeMore, choose: () => setOpen('merge') },
              archiving({ noun: 'companies', id, name: data.name, reload }),
            ]}
          />
        )}
      </Head>
      <Archived noun="companies" of={data} name={data.name} names={names} reload={reload} />
      <div class="beside">
        <div>
          {may('contacts:read') && <People company={data} />}
          {may('deals:read') && <Deals company={data} />}
          <History of={data} names={names} fields={fields} />
        </div>
        <div>
          <Details company={company} members={members} />
          <CustomFields
            definitions={fields}
            path={`/v1/companies/${id}/fields`}
            values={data.fields ?? {}}
            names={names}
            isFixed={!mayChange('companies:write', data)}
            save={async (given, header) => {
              const body = { fields: given };
              const saved = await api.patch('/v1/companies/{id}/fields', { params: { path, header }, body });
              company.change((of) => ({ ...of, fields: saved.fields }));
            }}
          />
          {!data.archive && <Duplicates of={data} fields={fields} names={names} onMerged={reload} />}
        </div>
      </div>
      {open === 'metadata' && <Metadata noun="companies" id={id} onClose={close} />}
      {open === 'merge' && <MergeAnother of={data} fields={fields} names={names} onMerged={reload} onClose={close} />}
    </>
  );
}
