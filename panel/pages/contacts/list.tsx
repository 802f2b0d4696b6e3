import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { platforms } from '../../app/channels.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { memberName, type Names, namesOf, useMemberList } from '../../app/names.ts';
import { go, linkTo, place } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { nameOf, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Choice, Filters, filter, SearchField } from '../../parts/filters.tsx';
import { Form } from '../../parts/form.tsx';
import { Head } from '../../parts/head.tsx';
import { Icon } from '../../parts/icon.tsx';
import { type Column, cursor, Paged } from '../../parts/paged.tsx';
import { When } from '../../parts/when.tsx';
import { Fields } from './fields.tsx';
import { stages, stageTones } from './stages.ts';

const asked = (signal: AbortSignal) =>
  api.get('/v1/contacts', {
    signal,
    params: {
      query: {
        limit: 100,
        after: cursor(),
        q: filter('q'),
        stage: filter('stage') as Schema<'ContactStage'> | undefined,
        tagId: Number(filter('tag')) || undefined,
        assignedToUserId: filter('assignee'),
        hasUnread: filter('unread') === 'yes' || undefined,
      },
    },
  });

/** Everybody the workspace knows, the newest first. */
export function List() {
  const contacts = useLoaded(asked, [String(place.value.query)], touching('contact', 'message'));
  const tags = useLoaded((signal) => api.get('/v1/tags', { signal }), []);
  const members = useMemberList();
  const [isCreating, setCreating] = useState(false);
  const isFiltered = ['q', 'stage', 'tag', 'assignee', 'unread'].some(filter);
  const create = may('contacts:write') && (
    <button type="button" class="primary" data-new onClick={() => setCreating(true)}>
      <Icon name="plus" />
      {t.contacts.newContact}
    </button>
  );
  return (
    <>
      <Head title={t.common.contacts}>{create}</Head>
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
      </Filters>
      <Paged
        caption={t.common.contacts}
        of={contacts}
        columns={columnsWith(namesOf(members))}
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
      {isCreating && <Create onClose={() => setCreating(false)} />}
    </>
  );
}

const columnsWith = (names: Names): Column<Schema<'Contact'>>[] => [
  {
    title: t.common.name,
    show: (contact) => (
      <>
        <a href={linkTo(`/contacts/${contact.id}`)}>{nameOf(contact)}</a>{' '}
        {contact.hasUnreadMessages && <Badge tone="accent">{t.common.unread}</Badge>}
      </>
    ),
  },
  { title: t.common.stage, show: ({ stage }) => <Badge tone={stageTones[stage]}>{worded(stage)}</Badge> },
  { title: t.contacts.company, show: ({ company }) => company, isWide: true },
  {
    get title() {
      return t.common.eMail;
    },
    show: ({ email }) => email,
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

const Create = ({ onClose }: { onClose(): void }) => (
  <Dialog title={t.contacts.newContact} onClose={onClose}>
    <Form
      submit={t.contacts.createContact}
      onCancel={onClose}
      onSubmit={async ({ platform, ...given }) => {
        const body = { ...given, platform: platforms.find(([key]) => key === platform)?.[0] };
        const { id } = await api.post('/v1/contacts', { body });
        onClose();
        go(`/contacts/${id}`);
      }}
    >
      <Fields isNew />
    </Form>
  </Dialog>
);
