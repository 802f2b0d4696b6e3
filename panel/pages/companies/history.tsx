import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { everyPage } from '../../app/every-page.ts';
import { useKeyNames } from '../../app/key-names.ts';
import { type AnyEvent, touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { memberName, type Names, useContactNames } from '../../app/names.ts';
import { linkTo } from '../../app/route.ts';
import { mayChange } from '../../app/session.ts';
import { worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { filled } from '../../parts/filled.tsx';
import { Pending } from '../../parts/pending.tsx';
import { NoteForm, TimelineHead } from '../../parts/timeline-head.tsx';
import { UserText, userText } from '../../parts/user-text.tsx';
import { When } from '../../parts/when.tsx';
import { actorOf } from '../contacts/timeline.tsx';

type Activity = Schema<'CompanyActivity'>;

const pageSize = 50;
const sides = ['all', 'notes', 'changes'] as const;
const changeTypes = 'Created,FieldUpdated,Assigned,Unassigned,ContactAdded,ContactRemoved';
const typesOf = { all: undefined, notes: 'Note', changes: changeTypes };

const isAbout = (id: number) => (event: AnyEvent) => {
  const { company_id: whose } = event.data as { company_id?: string };
  return touching('company', 'contact')(event) && (whose === undefined || whose === String(id));
};

interface HistoryProps {
  of: Pick<Schema<'Company'>, 'id' | 'archive'>;
  names: Names;
  fields: readonly Schema<'Field'>[];
}

/** Shows the history of a company, the latest first, and a place to note more. */
export function History({ of, names, fields }: HistoryProps) {
  const { id } = of;
  const [side, setSide] = useState<(typeof sides)[number]>('all');
  const [pages, setPages] = useState(1);
  const path = { id };
  const history = useLoaded(
    (signal) =>
      everyPage(
        (after: number | undefined) =>
          api.get('/v1/companies/{id}/activities', {
            signal,
            params: { path, query: { type: typesOf[side], limit: pageSize, after } },
          }),
        pages,
      ),
    [id, side, pages],
    isAbout(id),
  );
  const { data, error, reload } = history;
  const contacts = useContactNames(history);
  const keys = useKeyNames(data?.items.some(({ actorType }) => actorType === 'api_key') ?? false);
  const titles = new Map(fields.map(({ slug, title }) => [`fields.${slug}`, title]));
  return (
    <section class="card" aria-labelledby="history">
      <TimelineHead
        id="history"
        sides={sides}
        side={side}
        change={(one) => {
          setSide(one);
          setPages(1);
        }}
      />
      {mayChange('companies:write', of) && (
        <NoteForm
          save={async (text) => {
            await api.post('/v1/companies/{id}/activities', { params: { path }, body: { text } });
            reload();
          }}
        />
      )}
      <Pending data={data} error={error} reload={reload} lines={6} />
      {data?.items.length === 0 && <p class="hint">{t.contacts.nothingOfThatKind}</p>}
      <ol class="timeline">
        {data?.items.map((activity) => (
          <li key={activity.id} class={activity.type === 'Note' ? 'noted' : undefined}>
            <p class="text" {...(activity.type === 'Note' ? userText : {})}>
              {shown(activity, names, contacts, titles)}
            </p>
            <p class="hint">
              {actorOf(activity, names, keys)} · <When at={activity.createdAt} />
            </p>
          </li>
        ))}
      </ol>
      {data?.hasMore && (
        <button type="button" onClick={() => setPages(pages + 1)}>
          {t.contacts.showEarlier}
        </button>
      )}
    </section>
  );
}

const fieldNames = (): Partial<Record<string, string>> => ({
  domains: t.companies.domains,
  website: t.companies.website,
  address: t.companies.address,
});

function shown(
  { type, text, field, oldValue, newValue, contactId }: Activity,
  names: Names,
  contacts: Names,
  titles: ReadonlyMap<string, string>,
) {
  const whom = (value: string | null) => (value === null ? t.contacts.somebody : memberName(names, Number(value)));
  const contact =
    contactId === null ? (
      t.contacts.somebody
    ) : (
      <a href={linkTo(`/contacts/${contactId}`)}>
        <UserText text={contacts.get(contactId) ?? `#${contactId}`} />
      </a>
    );
  switch (type) {
    case 'Note':
      return text;
    case 'Created':
      return t.companies.becameACompany;
    case 'FieldUpdated':
      return `${titles.get(field ?? '') ?? fieldNames()[field ?? ''] ?? worded(field ?? 'field')}: ${oldValue ?? '–'} → ${newValue ?? '–'}`;
    case 'Assigned':
      return t.contacts.assignedToNewValue(whom(newValue));
    case 'Unassigned':
      return t.contacts.noLongerAssignedTo(whom(oldValue));
    case 'ContactAdded':
      return filled(t.companies.contactCame, { contact });
    case 'ContactRemoved':
      return filled(t.companies.contactWent, { contact });
  }
}
