import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { platforms } from '../../app/channels.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { type Names, namesOf, useMemberList } from '../../app/names.ts';
import { go, linkTo, place } from '../../app/route.ts';
import { saveText } from '../../app/save-file.ts';
import { may } from '../../app/session.ts';
import { nameOf, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
import { ArchivedChoice, whichArchived } from '../../parts/archived-choice.tsx';
import { NewFields, newValues, useFields } from '../../parts/custom-fields.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Choice, Filters, filter, SearchField } from '../../parts/filters.tsx';
import { Form } from '../../parts/form.tsx';
import { Head } from '../../parts/head.tsx';
import { Icon } from '../../parts/icon.tsx';
import { includeFor } from '../../parts/table/custom-columns.tsx';
import { sourceOf } from '../../parts/table/question.ts';
import { readAll, useRows } from '../../parts/table/rows.ts';
import { Table } from '../../parts/table/table.tsx';
import { useColumns } from '../../parts/table/use-columns.ts';
import { useQuestion } from '../../parts/table/use-question.ts';
import { Bulk } from './bulk.tsx';
import { csvOf } from './csv.ts';
import { Fields } from './fields.tsx';
import { Sides } from './sides.tsx';
import { stages } from './stages.ts';
import { contactColumns } from './table-columns.tsx';
import { filterNames, wantedContacts } from './wanted.ts';

type Contact = Schema<'Contact'>;

/** As many as are chosen or exported at once. */
const most = 5000;

const isTouchedBy = touching('contact', 'message');

/** Everybody the workspace knows, the newest first. */
export function List() {
  const { value, onSort, onColumns } = useQuestion('contact');
  const include = includeFor(value.columns, 'archive', 'companies', 'updatedAt');
  const { archived } = whichArchived();
  const source = sourceOf<Contact>('contacts', { ...value, ...wantedContacts(), archived, include });
  const rows = useRows(source, [String(place.value.query), include], isTouchedBy);
  const tags = useLoaded((signal) => api.get('/v1/tags', { signal }), []);
  const members = useMemberList();
  const { all, columns } = useColumns('contact', contactColumns, namesOf(members), value.columns, rows.items);
  const [isCreating, setCreating] = useState(false);
  const isFiltered = filterNames.some(filter);
  const canWrite = may('contacts:write');
  const readIds = () => readAll(source, most, new AbortController().signal, () => undefined);
  const exportAll = () =>
    attempt(async () => saveText('contacts.csv', 'text/csv', `\ufeff${csvOf(await readIds())}`), {
      said: t.contacts.theListIsExported,
    });
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
        <Choice label={t.common.stage} name="stage" options={stages.map((stage) => [stage, worded(stage)])} />
        <Choice
          label={t.contacts.tag}
          name="tag"
          options={(tags.data?.items ?? []).map(({ id, name }) => [id, name])}
        />
        <Choice
          label={t.contacts.assignedTo}
          name="assignee"
          all={t.common.anybody}
          options={[['none', t.common.nobody], ...members.map((member) => [member.id, nameOf(member)] as const)]}
        />
        <Choice label={t.common.messages} name="unread" options={[['yes', t.common.unread]]} />
        <Choice
          label={t.contacts.leadScore}
          name="score"
          options={[25, 50, 75].map((score) => [score, t.contacts.atLeast(score)] as const)}
        />
        <ArchivedChoice />
      </Filters>
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
            ? ({ ids, set, clear }) => (
                <Bulk
                  chosen={ids}
                  members={members}
                  onDone={rows.reload}
                  onClear={clear}
                  onChooseAll={async () => {
                    await attempt(async () => set((await readIds()).map(({ id }) => id)));
                  }}
                />
              )
            : undefined
        }
        tools={
          <button type="button" class="small" onClick={exportAll}>
            {t.contacts.exportCsv}
          </button>
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
