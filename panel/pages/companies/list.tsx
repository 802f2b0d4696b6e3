import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { type Company, domainsIn } from '../../app/companies.ts';
import { touching } from '../../app/live.ts';
import { type Names, namesOf, useMemberList } from '../../app/names.ts';
import { go, linkTo, place } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { nameOf } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { ArchivedChoice, whichArchived } from '../../parts/archived-choice.tsx';
import { NewFields, newValues, useFields } from '../../parts/custom-fields.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Choice, Filters, filter, SearchField } from '../../parts/filters.tsx';
import { Field, Form } from '../../parts/form.tsx';
import { Head } from '../../parts/head.tsx';
import { Icon } from '../../parts/icon.tsx';
import { includeFor } from '../../parts/table/custom-columns.tsx';
import { sourceOf } from '../../parts/table/question.ts';
import { useRows } from '../../parts/table/rows.ts';
import { Table } from '../../parts/table/table.tsx';
import { useColumns } from '../../parts/table/use-columns.ts';
import { useQuestion } from '../../parts/table/use-question.ts';
import { companyColumns } from './table-columns.tsx';

/** The filter of the list, as a search takes it. */
function wantedCompanies(): { q: string | undefined; filter: Schema<'Filter'> | undefined } {
  const assignee = filter('assignee');
  const domain = filter('domain');
  const and = [
    ...(domain === undefined ? [] : [{ field: 'domains', op: 'eq', value: domain }]),
    ...(assignee === 'none' ? [{ field: 'assignedToUserId', op: 'isNotSet' }] : []),
    ...(Number(assignee) ? [{ field: 'assignedToUserId', op: 'eq', value: Number(assignee) }] : []),
  ];
  return { q: filter('q'), filter: and.length === 0 ? undefined : { and } };
}

const isTouchedBy = touching('company');

/** The companies that the workspace knows, the newest first. */
export function List() {
  const { value, onSort, onColumns } = useQuestion('company');
  const include = includeFor(value.columns, 'archive');
  const { archived } = whichArchived();
  const source = sourceOf<Company>('companies', { ...value, ...wantedCompanies(), archived, include });
  const rows = useRows(source, [String(place.value.query), include], isTouchedBy);
  const members = useMemberList();
  const { all, columns } = useColumns('company', companyColumns, namesOf(members), value.columns, rows.items);
  const [isNew, setNew] = useState(false);
  const isFiltered = ['q', 'domain', 'assignee', 'archived'].some(filter);
  const canWrite = may('companies:write');
  return (
    <>
      <Head title={t.companies.companies}>
        {canWrite && (
          <button type="button" class="primary" data-new onClick={() => setNew(true)}>
            <Icon name="plus" />
            {t.companies.newCompany}
          </button>
        )}
      </Head>
      <Filters>
        <SearchField label={t.companies.searchCompanies} />
        <SearchField label={t.companies.domain} name="domain" placeholder="example.com" />
        <Choice
          label={t.contacts.assignedTo}
          name="assignee"
          all={t.common.anybody}
          options={[['none', t.common.nobody], ...members.map((member) => [member.id, nameOf(member)] as const)]}
        />
        <ArchivedChoice />
      </Filters>
      <Table
        caption={t.companies.companies}
        units={t.units.company}
        rows={rows}
        all={all}
        columns={columns}
        onColumns={onColumns}
        sort={value.sort}
        onSort={onSort}
        nameOf={({ name }) => name}
        pathOf={({ id }) => `/companies/${id}`}
        empty={
          isFiltered ? (
            <Empty title={t.companies.noCompanyFits}>
              <a href={linkTo('/companies')}>{t.companies.showAllCompanies}</a>
            </Empty>
          ) : (
            <Empty title={t.companies.noCompaniesYet}>
              <p>{t.companies.aCompanyGathers}</p>
            </Empty>
          )
        }
      />
      {isNew && <Create names={namesOf(members)} onClose={() => setNew(false)} />}
    </>
  );
}

/** Makes a company. */
function Create({ names, onClose }: { names: Names; onClose(): void }) {
  const fields = useFields('company');
  return (
    <Dialog title={t.companies.newCompany} onClose={onClose}>
      <Form
        submit={t.companies.createCompany}
        onCancel={onClose}
        onSubmit={async (given) => {
          const { name = '', website, phone, assignee } = given;
          const { id } = await api.post('/v1/companies', {
            body: {
              name,
              domains: domainsIn(given['domains']),
              website: website ?? null,
              phone: phone ?? null,
              assignedToUserId: assignee === undefined ? null : Number(assignee),
              ...newValues(fields, given),
            },
          });
          onClose();
          go(`/companies/${id}`);
        }}
      >
        <Field label={t.common.name} name="name" required maxLength={200} />
        <Field
          label={t.companies.domains}
          name="domains"
          placeholder="example.com"
          hint={t.companies.contactsOfTheseDomainsAreLinked}
        />
        <div class="two">
          <Field label={t.companies.website} name="website" maxLength={2048} />
          <Field label={t.common.phone} name="phone" type="tel" maxLength={32} />
        </div>
        <Field label={t.contacts.assignedTo} name="assignee" options={[['', t.common.nobody], ...names]} />
        <NewFields definitions={fields} names={names} />
      </Form>
    </Dialog>
  );
}
