import { useState } from 'preact/hooks';
import { api } from '../../app/api.ts';
import { type Company, domainsIn } from '../../app/companies.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { memberName, type Names, namesOf, useMemberList } from '../../app/names.ts';
import { go, linkTo, place } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { count, nameOf } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { ArchivedChoice, ArchivedSign, whichArchived } from '../../parts/archived-choice.tsx';
import { NewFields, newValues, useFields } from '../../parts/custom-fields.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Choice, Filters, filter, SearchField } from '../../parts/filters.tsx';
import { Field, Form } from '../../parts/form.tsx';
import { Head } from '../../parts/head.tsx';
import { Icon } from '../../parts/icon.tsx';
import { type Column, cursor, Paged } from '../../parts/paged.tsx';
import { UserText } from '../../parts/user-text.tsx';
import { When } from '../../parts/when.tsx';

const load = (signal: AbortSignal) =>
  api.get('/v1/companies', {
    signal,
    params: {
      query: {
        q: filter('q'),
        domain: filter('domain'),
        assignedToUserId: filter('assignee'),
        limit: 100,
        ...whichArchived(),
        after: cursor(),
      },
    },
  });

/** The companies that the workspace knows, the newest first. */
export function List() {
  const companies = useLoaded(load, [String(place.value.query)], touching('company'));
  const members = useMemberList();
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
      <Paged
        caption={t.companies.companies}
        of={companies}
        columns={columnsWith(namesOf(members))}
        keyOf={({ id }) => id}
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

const columnsWith = (names: Names): Column<Company>[] => [
  {
    title: t.common.name,
    show: ({ id, name, archive }) => (
      <>
        <a href={linkTo(`/companies/${id}`)}>
          <UserText text={name} />
        </a>
        <ArchivedSign archive={archive} />
      </>
    ),
  },
  {
    title: t.companies.domains,
    show: ({ domains }) => domains.length > 0 && <UserText text={domains.join(', ')} isName />,
    isWide: true,
  },
  { title: t.common.contacts, show: ({ contactCount }) => count(contactCount), isNumber: true },
  { title: t.companies.openDeals, show: ({ openDealCount }) => count(openDealCount), isNumber: true, isWide: true },
  {
    title: t.contacts.assignedTo,
    show: ({ assignedToUserId: id }) => id !== null && memberName(names, id),
    isWide: true,
  },
  { title: t.common.created, show: ({ createdAt }) => <When at={createdAt} />, isWide: true },
];

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
