import { useState } from 'preact/hooks';
import { api } from '../../app/api.ts';
import { type Company, domainsIn } from '../../app/companies.ts';
import { touching } from '../../app/live.ts';
import { type Names, namesOf, useMemberList } from '../../app/names.ts';
import { go, linkTo } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { counted } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { ArchivedChoice, whichArchived } from '../../parts/archived-choice.tsx';
import { NewFields, newValues, useFields } from '../../parts/custom-fields.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { FilterBar } from '../../parts/filter/filter-bar.tsx';
import { useQuestion } from '../../parts/filter/question.ts';
import { Filters, filter, SearchField } from '../../parts/filters.tsx';
import { Field, Form } from '../../parts/form.tsx';
import { Head } from '../../parts/head.tsx';
import { Icon } from '../../parts/icon.tsx';
import { includeFor } from '../../parts/table/custom-columns.tsx';
import { ExportButton } from '../../parts/table/export-button.tsx';
import { sourceOf } from '../../parts/table/question.ts';
import { useRows } from '../../parts/table/rows.ts';
import { Table } from '../../parts/table/table.tsx';
import { useColumns } from '../../parts/table/use-columns.ts';
import { CompaniesBulk } from './bulk.tsx';
import { companyColumns } from './table-columns.tsx';

const isTouchedBy = touching('company');

/** The companies that the workspace knows, the newest first. */
export function List() {
  const asking = useQuestion('company');
  const { value, isReady, onSort, onColumns } = asking;
  const definitions = useFields('company');
  const include = includeFor(value.columns, 'archive');
  const { archived } = whichArchived();
  const source = sourceOf<Company>('companies', { ...value, isReady, q: filter('q'), archived, include });
  const rows = useRows(source, [JSON.stringify([value, isReady, filter('q'), archived]), include], isTouchedBy);
  const members = useMemberList();
  const { all, columns } = useColumns(definitions, companyColumns, namesOf(members), value.columns, rows.items);
  const [isNew, setNew] = useState(false);
  const isFiltered = value.filter !== undefined || ['q', 'archived'].some(filter);
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
        <ArchivedChoice />
      </Filters>
      <FilterBar object="company" {...asking} fields={definitions} members={namesOf(members)} error={rows.error} />
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
        actions={
          canWrite && archived === undefined
            ? (selection) => (
                <CompaniesBulk selection={selection} source={source} members={members} onDone={rows.reload} />
              )
            : undefined
        }
        tools={
          <ExportButton
            object="companies"
            q={filter('q')}
            filter={value.filter}
            archived={archived}
            columns={columns.map(({ name }) => name)}
            counted={rows.total === undefined ? undefined : counted(rows.total, t.units.company)}
          />
        }
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
