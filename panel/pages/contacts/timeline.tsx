import { type ComponentChildren, Fragment } from 'preact';
import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { channelNames } from '../../app/channels.ts';
import { useKeyNames } from '../../app/key-names.ts';
import { type AnyEvent, touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { memberName, type Names } from '../../app/names.ts';
import { linkTo } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { money, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { filled } from '../../parts/filled.tsx';
import { Pending } from '../../parts/pending.tsx';
import { NoteForm, TimelineHead } from '../../parts/timeline-head.tsx';
import { userText } from '../../parts/user-text.tsx';
import { When } from '../../parts/when.tsx';
import { type Entry, loadHistory, type Side, sides } from './history.ts';

type Activity = Schema<'Activity'>;

const pageSize = 25;

const touches = touching('contact', 'message', 'deal', 'task', 'invoice');
/** Whether an event may be of one contact: those of deals and tasks do not always say whose they are. */
const isAbout = (id: number) => (event: AnyEvent) => {
  const { contact_id: whose } = event.data as { contact_id?: string | null };
  return touches(event) && (whose === undefined || whose === null || whose === String(id));
};

interface TimelineProps {
  id: number;
  /** What the contact is called. */
  name: string;
  names: Names;
  fields: readonly Schema<'Field'>[];
  /** Nothing is noted. */
  isFixed?: boolean;
}

/** Everything that has happened with a contact, the latest first, and a place to note more. */
export function Timeline({ id, name, names, fields, isFixed = false }: TimelineProps) {
  const [side, setSide] = useState<Side>('all');
  const [shown, setShown] = useState(pageSize);
  const history = useLoaded((signal) => loadHistory(id, side, shown, signal), [id, side, shown], isAbout(id));
  const { data, error, reload } = history;
  const isByKey = data?.entries.some((entry) => entry.kind === 'activity' && entry.of.actorType === 'api_key') ?? false;
  const keys = useKeyNames(isByKey);
  const titles = new Map(fields.map(({ slug, title }) => [`fields.${slug}`, title]));
  return (
    <section class="card" aria-labelledby="timeline">
      <TimelineHead
        id="timeline"
        sides={sides}
        side={side}
        change={(one) => {
          setSide(one);
          setShown(pageSize);
        }}
      />
      {may('contacts:write') && !isFixed && (
        <NoteForm
          save={async (text) => {
            await api.post('/v1/contacts/{id}/activities', { params: { path: { id } }, body: { text } });
            reload();
          }}
        />
      )}
      <Pending data={data} error={error} reload={reload} lines={6} />
      {data?.entries.length === 0 && <p class="hint">{t.contacts.nothingOfThatKind}</p>}
      <ol class="timeline" aria-busy={history.isLoading && data === undefined}>
        {data?.entries.map((entry) => (
          <li key={entry.key} class={classOf(entry)}>
            <Line entry={entry} name={name} names={names} keys={keys} titles={titles} />
          </li>
        ))}
      </ol>
      {data?.hasMore && (
        <button type="button" onClick={() => setShown(shown + pageSize)}>
          {t.contacts.showEarlier}
        </button>
      )}
    </section>
  );
}

const classOf = ({ kind, of }: Entry) =>
  kind === 'activity' && of.type === 'Note' ? 'noted' : kind === 'message' ? 'said' : undefined;

interface LineProps {
  entry: Entry;
  name: string;
  names: Names;
  keys: ReadonlyMap<string, string>;
  titles: ReadonlyMap<string, string>;
}

function Line({ entry, name, names, keys, titles }: LineProps) {
  const about = (...more: ComponentChildren[]) => (
    <p class="hint">
      {more.map((one, at) => (
        <Fragment key={at}>{one} · </Fragment>
      ))}
      <When at={entry.at} />
    </p>
  );
  switch (entry.kind) {
    case 'activity':
      return (
        <>
          {entry.of.type === 'Note' ? (
            <p class="text" {...userText}>
              {entry.of.text}
            </p>
          ) : (
            <p class="text">{changeOf(entry.of, names, titles)}</p>
          )}
          {about(actorOf(entry.of, names, keys))}
        </>
      );
    case 'message': {
      const { channel, direction, body, attachments, status, contactId } = entry.of;
      return (
        <>
          <p class="text clamped" {...userText}>
            {body || attachments.map(({ fileName }) => fileName).join(', ')}
          </p>
          {about(
            direction === 'inbound' ? name : t.contacts.us,
            <a href={linkTo(`/inbox/${contactId}`)}>{channelNames[channel]}</a>,
            ...(status === 'failed' ? [<Badge tone="bad">{t.contacts.notSent}</Badge>] : []),
            ...(status === 'queued' ? [<Badge>{worded(status)}</Badge>] : []),
          )}
        </>
      );
    }
    case 'deal': {
      const { id, title, value, currency } = entry.of;
      const link = <a href={linkTo(`/deals/${id}`)}>{title}</a>;
      return (
        <>
          <p class="text">{filled(t.contacts.dealBecame[entry.became], { title: link })}</p>
          {about(money(value, currency))}
        </>
      );
    }
    case 'task': {
      const { title, contactId, assignedToUserId: userId } = entry.of;
      const link = <a href={linkTo('/tasks', { contact: contactId })}>{title}</a>;
      return (
        <>
          <p class="text">{filled(t.contacts.taskBecame[entry.became], { title: link })}</p>
          {about(...(userId === null ? [] : [memberName(names, userId)]))}
        </>
      );
    }
    case 'invoice': {
      const { id, invoiceNumber, total, currency } = entry.of;
      const link = <a href={linkTo(`/finance/invoices/${id}`)}>{invoiceNumber}</a>;
      return (
        <>
          <p class="text">{filled(t.contacts.invoiceBecame[entry.became], { number: link })}</p>
          {about(money(total, currency))}
        </>
      );
    }
  }
}

function changeOf({ type, field, oldValue, newValue }: Activity, names: Names, titles: LineProps['titles']): string {
  const whom = (value: string | null) => (value === null ? t.contacts.somebody : memberName(names, Number(value)));
  switch (type) {
    case 'Created':
      return t.contacts.becameAContact;
    case 'StageChanged':
      return t.contacts.stage(worded(oldValue ?? ''), worded(newValue ?? ''));
    case 'Assigned':
      return t.contacts.assignedToNewValue(whom(newValue));
    case 'Unassigned':
      return t.contacts.noLongerAssignedTo(whom(oldValue));
    case 'ScoreChanged':
      return newValue === null ? t.contacts.leadScoreRemoved : t.contacts.leadScoreNewValue(newValue);
    case 'TagAdded':
      return t.contacts.tagAdded(newValue ?? '');
    case 'TagRemoved':
      return t.contacts.tagRemoved(oldValue ?? newValue ?? '');
    case 'FieldUpdated':
      return `${titles.get(field ?? '') ?? worded(field ?? 'field')}: ${oldValue ?? '–'} → ${newValue ?? '–'}`;
    case 'Note':
      return '';
  }
}

export function actorOf(
  { actorType, actorUserId, actorKeyId }: Pick<Activity, 'actorType' | 'actorUserId' | 'actorKeyId'>,
  names: Names,
  keys: LineProps['keys'],
): string {
  switch (actorType) {
    case 'user':
      return actorUserId === null ? t.contacts.aMember : memberName(names, actorUserId);
    case 'api_key':
      return keys.get(actorKeyId ?? '') ?? t.contacts.apiKey(actorKeyId ?? '');
    case 'ai':
      return t.contacts.anAgent;
    case 'system':
      return t.contacts.theSystem;
  }
}
