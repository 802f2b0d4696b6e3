import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { platforms } from '../../app/channels.ts';
import { touching } from '../../app/live.ts';
import { type Names, namesOf, useMemberList } from '../../app/names.ts';
import { go, linkTo } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { counted, nameOf } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { ArchivedChoice, whichArchived } from '../../parts/archived-choice.tsx';
import { NewFields, newValues, useFields } from '../../parts/custom-fields.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { FilterBar } from '../../parts/filter/filter-bar.tsx';
import { useQuestion } from '../../parts/filter/question.ts';
import { Filters, filter, SearchField } from '../../parts/filters.tsx';
import { Form } from '../../parts/form.tsx';
import { Head } from '../../parts/head.tsx';
import { Icon } from '../../parts/icon.tsx';
import { includeFor } from '../../parts/table/custom-columns.tsx';
import { ExportButton } from '../../parts/table/export-button.tsx';
import { sourceOf } from '../../parts/table/question.ts';
import { useRows } from '../../parts/table/rows.ts';
import { Table } from '../../parts/table/table.tsx';
import { useColumns } from '../../parts/table/use-columns.ts';
import { ContactsBulk } from './bulk.tsx';
import { Fields } from './fields.tsx';
import { Sides } from './sides.tsx';
import { contactColumns } from './table-columns.tsx';

type Contact = Schema<'Contact'>;

const isTouchedBy = touching('contact', 'message');

/** Everybody the workspace knows, the newest first. */
export function List() {
  const asking = useQuestion('contact');
  const { value, isReady, onSort, onColumns } = asking;
  const definitions = useFields('contact');
  const include = includeFor(value.columns, 'archive', 'companies', 'tags', 'updatedAt');
  const { archived } = whichArchived();
  const source = sourceOf<Contact>('contacts', { ...value, isReady, q: filter('q'), archived, include });
  const rows = useRows(source, [JSON.stringify([value, isReady, filter('q'), archived]), include], isTouchedBy);
  const members = useMemberList();
  const { all, columns } = useColumns(definitions, contactColumns, namesOf(members), value.columns, rows.items);
  const [isCreating, setCreating] = useState(false);
  const isFiltered = value.filter !== undefined || ['q', 'archived'].some(filter);
  const canWrite = may('contacts:write');
  return (
    <>
      <Head title={t.common.contacts}>
        {canWrite && (
          <button type="button" class="primary" data-new onClick={() => setCreating(true)}>
            <Icon name="plus" />
            {t.contacts.newContact}
          </button>
        )}
      </Head>
      <Sides open="/contacts" />
      <Filters>
        <SearchField label={t.contacts.searchContacts} />
        <ArchivedChoice />
      </Filters>
      <FilterBar object="contact" {...asking} fields={definitions} members={namesOf(members)} error={rows.error} />
      <Table
        caption={t.common.contacts}
        units={t.units.contact}
        rows={rows}
        all={all}
        columns={columns}
        onColumns={onColumns}
        sort={value.sort}
        onSort={onSort}
        nameOf={nameOf}
        pathOf={({ id }) => `/contacts/${id}`}
        actions={
          canWrite && archived === undefined
            ? (selection) => (
                <ContactsBulk selection={selection} source={source} members={members} onDone={rows.reload} />
              )
            : undefined
        }
        tools={
          <ExportButton
            object="contacts"
            q={filter('q')}
            filter={value.filter}
            archived={archived}
            columns={columns.map(({ name }) => name)}
            counted={rows.total === undefined ? undefined : counted(rows.total, t.units.contact)}
          />
        }
        empty={
          isFiltered ? (
            <Empty title={t.contacts.noContactFits}>
              <a href={linkTo('/contacts')}>{t.contacts.showAllContacts}</a>
            </Empty>
          ) : (
            <Empty title={t.contacts.noContactsYet}>
              <p>{t.contacts.whoeverWritesToOneOf}</p>
            </Empty>
          )
        }
      />
      {isCreating && <Create names={namesOf(members)} onClose={() => setCreating(false)} />}
    </>
  );
}

function Create({ names, onClose }: { names: Names; onClose(): void }) {
  const fields = useFields('contact');
  return (
    <Dialog title={t.contacts.newContact} onClose={onClose}>
      <Form
        submit={t.contacts.createContact}
        onCancel={onClose}
        onSubmit={async (given) => {
          const { name, username, phone, email, company, notes } = given;
          const platform = platforms.find(([key]) => key === given['platform'])?.[0];
          const { id } = await api.post('/v1/contacts', {
            body: { name, username, phone, email, company, notes, platform, ...newValues(fields, given) },
          });
          onClose();
          go(`/contacts/${id}`);
        }}
      >
        <Fields />
        <NewFields definitions={fields} names={names} />
      </Form>
    </Dialog>
  );
}
