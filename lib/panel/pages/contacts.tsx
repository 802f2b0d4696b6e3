import type { Schema } from '../../../client/index.ts';
import { api } from '../app/api.ts';
import { touching } from '../app/live.ts';
import { useLoaded } from '../app/load.ts';
import { linkTo, place } from '../app/route.ts';
import { nameOf, worded } from '../app/show.ts';
import { Badge } from '../parts/badge.tsx';
import { Empty } from '../parts/empty.tsx';
import { Choice, Filters, filter, SearchField } from '../parts/filters.tsx';
import { Head } from '../parts/head.tsx';
import { type Column, cursor, Paged } from '../parts/paged.tsx';
import { When } from '../parts/when.tsx';
import { stages } from './contacts/stages.ts';

export default function Contacts() {
  const query = {
    limit: 50,
    after: cursor(),
    q: filter('q'),
    stage: filter('stage') as Schema<'ContactStage'> | undefined,
  };
  const contacts = useLoaded(
    (signal) => api.get('/v1/contacts', { signal, params: { query } }),
    [String(place.value.query)],
    touching('contact', 'message'),
  );
  return (
    <>
      <Head title="Contacts" />
      <Filters>
        <SearchField label="Search" />
        <Choice label="Stage" name="stage" all="Every stage" options={stages.map((stage) => [stage, worded(stage)])} />
      </Filters>
      <Paged
        caption="Contacts"
        of={contacts}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty title="No contacts here">
            <p>People who write to you appear by themselves. Change the search and the filters to see others.</p>
          </Empty>
        }
      />
    </>
  );
}

const columns: readonly Column<Schema<'Contact'>>[] = [
  { title: 'Name', show: (contact) => <a href={linkTo(`/contacts/${contact.id}`)}>{nameOf(contact)}</a> },
  { title: 'Stage', show: ({ stage }) => <Badge>{worded(stage)}</Badge> },
  { title: 'Company', show: ({ company }) => company, isWide: true },
  { title: 'E-mail', show: ({ email }) => email, isWide: true },
  { title: 'Last message', show: ({ lastMessageAt }) => lastMessageAt && <When at={lastMessageAt} />, isWide: true },
];
