import { useEffect, useRef, useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { platforms } from '../../app/channels.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { memberName, type Names, namesOf, useMemberList } from '../../app/names.ts';
import { go, linkTo, place } from '../../app/route.ts';
import { saveText } from '../../app/save-file.ts';
import { may } from '../../app/session.ts';
import { count, nameOf, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
import { ArchivedChoice, ArchivedSign } from '../../parts/archived-choice.tsx';
import { Badge } from '../../parts/badge.tsx';
import { NewFields, newValues, useFields } from '../../parts/custom-fields.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Choice, Filters, filter, SearchField } from '../../parts/filters.tsx';
import { Form } from '../../parts/form.tsx';
import { Head } from '../../parts/head.tsx';
import { Icon } from '../../parts/icon.tsx';
import { type Column, cursor, Paged } from '../../parts/paged.tsx';
import { UserText } from '../../parts/user-text.tsx';
import { When } from '../../parts/when.tsx';
import { Bulk } from './bulk.tsx';
import { csvOf } from './csv.ts';
import { Fields } from './fields.tsx';
import { Sides } from './sides.tsx';
import { stages, stageTones } from './stages.ts';
import { filterNames, readAll, wanted } from './wanted.ts';

type Contact = Schema<'Contact'>;

/** As many as are chosen or exported at once. */
const most = 5000;

const load = (signal: AbortSignal) =>
  api.get('/v1/contacts', { signal, params: { query: { ...wanted(), limit: 100, after: cursor() } } });

/** Everybody the workspace knows, the newest first. */
export function List() {
  const contacts = useLoaded(load, [String(place.value.query)], touching('contact', 'message'));
  const tags = useLoaded((signal) => api.get('/v1/tags', { signal }), []);
  const members = useMemberList();
  const [isCreating, setCreating] = useState(false);
  const [chosen, choose] = useState<ReadonlySet<number>>(new Set());
  useEffect(() => choose(new Set()), [String(place.value.query)]);
  const isFiltered = filterNames.some(filter);
  const canWrite = may('contacts:write');
  const exportAll = () =>
    attempt(async () => saveText('contacts.csv', 'text/csv', `\ufeff${csvOf(await readAll(most))}`), {
      said: t.contacts.theListIsExported,
    });
  const rows = contacts.data?.items ?? [];
  const choosing = useChoosing(rows, chosen, choose);
  return (
    <>
      <Head title={t.common.contacts}>
        <button type="button" onClick={exportAll}>
          {t.contacts.exportCsv}
        </button>
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
      {chosen.size > 0 && (
        <Bulk
          chosen={chosen}
          members={members}
          onDone={contacts.reload}
          onClear={() => choose(new Set())}
          onChooseAll={async () => {
            await attempt(async () => choose(new Set((await readAll(most)).map(({ id }) => id))));
          }}
        />
      )}
      <Paged
        caption={t.common.contacts}
        of={contacts}
        columns={[...(canWrite && !filter('archived') ? [choosing] : []), ...columnsWith(namesOf(members))]}
        keyOf={({ id }) => id}
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

/** Returns a column of boxes to tick; with Shift all between two. */
function useChoosing(
  rows: readonly Contact[],
  chosen: ReadonlySet<number>,
  choose: (chosen: ReadonlySet<number>) => void,
): Column<Contact> {
  const last = useRef<number | undefined>(undefined);
  const tick = (id: number, isChosen: boolean, isRange: boolean) => {
    const ids = rows.map((row) => row.id);
    const [from, to] = [ids.indexOf(last.current ?? id), ids.indexOf(id)].sort((a, b) => a - b) as [number, number];
    const changed = new Set(chosen);
    for (const one of isRange && from >= 0 ? ids.slice(from, to + 1) : [id])
      if (isChosen) changed.add(one);
      else changed.delete(one);
    last.current = id;
    choose(changed);
  };
  return {
    title: t.contacts.choose,
    show: (contact) => (
      <input
        type="checkbox"
        aria-label={t.contacts.chooseContact(nameOf(contact))}
        checked={chosen.has(contact.id)}
        onClick={(event) => tick(contact.id, event.currentTarget.checked, event.shiftKey)}
      />
    ),
  };
}

const columnsWith = (names: Names): Column<Contact>[] => [
  {
    title: t.common.name,
    show: (contact) => (
      <>
        <a href={linkTo(`/contacts/${contact.id}`)}>
          <UserText text={nameOf(contact)} isName />
        </a>{' '}
        {contact.hasUnreadMessages && <Badge tone="accent">{t.common.unread}</Badge>}
        <ArchivedSign archive={contact.archive} />
      </>
    ),
  },
  { title: t.common.stage, show: ({ stage }) => <Badge tone={stageTones[stage]}>{worded(stage)}</Badge> },
  { title: t.contacts.company, show: ({ company }) => company && <UserText text={company} isName />, isWide: true },
  { title: t.common.eMail, show: ({ email }) => email && <UserText text={email} isName />, isWide: true },
  { title: t.common.phone, show: ({ phone }) => phone, isWide: true },
  {
    title: t.contacts.leadScore,
    show: ({ leadScore }) => leadScore !== null && count(leadScore),
    isNumber: true,
    isWide: true,
  },
  {
    title: t.contacts.assignedTo,
    show: ({ assignedToUserId: id }) => id !== null && memberName(names, id),
    isWide: true,
  },
  {
    title: t.contacts.lastMessage,
    show: ({ lastMessageAt }) => lastMessageAt && <When at={lastMessageAt} />,
    isWide: true,
  },
];

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
