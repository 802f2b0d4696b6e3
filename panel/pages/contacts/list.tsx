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
      New contact
    </button>
  );
  return (
    <>
      <Head title="Contacts">{create}</Head>
      <Filters>
        <SearchField label="Search contacts" />
        <Choice label="Stage" name="stage" options={stages.map((stage) => [stage, worded(stage)])} />
        <Choice label="Tag" name="tag" options={(tags.data?.items ?? []).map(({ id, name }) => [id, name])} />
        <Choice
          label="Assigned to"
          name="assignee"
          all="Anybody"
          options={[['none', 'Nobody'], ...members.map((member) => [member.id, nameOf(member)] as const)]}
        />
        <Choice label="Messages" name="unread" options={[['yes', 'Unread']]} />
      </Filters>
      <Paged
        caption="Contacts"
        of={contacts}
        columns={columnsWith(namesOf(members))}
        keyOf={({ id }) => id}
        empty={
          isFiltered ? (
            <Empty title="No contact fits">
              <a href={linkTo('/contacts')}>Show all contacts</a>
            </Empty>
          ) : (
            <Empty title="No contacts yet">
              <p>Whoever writes to one of your accounts becomes a contact. You can also make one by hand.</p>
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
    title: 'Name',
    show: (contact) => (
      <>
        <a href={linkTo(`/contacts/${contact.id}`)}>{nameOf(contact)}</a>{' '}
        {contact.hasUnreadMessages && <Badge tone="accent">Unread</Badge>}
      </>
    ),
  },
  { title: 'Stage', show: ({ stage }) => <Badge tone={stageTones[stage]}>{worded(stage)}</Badge> },
  { title: 'Company', show: ({ company }) => company, isWide: true },
  { title: 'E-mail', show: ({ email }) => email, isWide: true },
  {
    title: 'Assigned to',
    show: ({ assignedToUserId: id }) => id !== null && memberName(names, id),
    isWide: true,
  },
  { title: 'Last message', show: ({ lastMessageAt }) => lastMessageAt && <When at={lastMessageAt} />, isWide: true },
];

const Create = ({ onClose }: { onClose(): void }) => (
  <Dialog title="New contact" onClose={onClose}>
    <Form
      submit="Create contact"
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
