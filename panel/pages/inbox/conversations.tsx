import { useRef } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { channelNames, channels } from '../../app/channels.ts';
import { draftOf } from '../../app/drafts.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { linkTo, place, withQuery } from '../../app/route.ts';
import { current, may } from '../../app/session.ts';
import { shortTime } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Empty } from '../../parts/empty.tsx';
import { filled } from '../../parts/filled.tsx';
import { Choice, Filters, filter, SearchField } from '../../parts/filters.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Pending } from '../../parts/pending.tsx';
import { userText } from '../../parts/user-text.tsx';
import { When } from '../../parts/when.tsx';
import { heldInPlace } from './held.ts';
import { keptUnread, scheduledChanges } from './state.tsx';
import { draftName, isSame, linkToConversation, type Row, titleOf, type Which, whichOf } from './which.ts';

const states = ['open', 'snoozed', 'done'] as const;

/** The state whose conversations are listed. */
const stateShown = () => states.find((one) => one === filter('state')) ?? 'open';

const assigneeShown = () => {
  const who = filter('who');
  if (who === 'mine') return String(current.value?.member?.id);
  return who === 'nobody' ? 'none' : undefined;
};

const asked = (signal: AbortSignal) =>
  api.get('/panel/conversations', {
    signal,
    params: {
      query: {
        limit: 30,
        cursor: filter('after'),
        q: filter('q'),
        state: stateShown(),
        assignedToUserId: assigneeShown(),
        unread: filter('unread') === 'yes' || undefined,
        channel: filter('channel') as Schema<'Channel'> | undefined,
      },
    },
  });

/** Returns the times of the next scheduled message to each contact. */
async function scheduled(signal: AbortSignal): Promise<ReadonlyMap<number, string>> {
  if (!may('jobs:read')) return new Map();
  const query = { status: 'queued', limit: 100 } as const;
  const { items } = await api.get('/v1/jobs', { signal, params: { query } });
  const latestFirst = items.toSorted((one, other) => other.runAt.localeCompare(one.runAt));
  const isLater = (runAt: string) => new Date(runAt).getTime() > Date.now();
  return new Map(
    latestFirst.flatMap(({ contactId, runAt }) => (contactId !== null && isLater(runAt) ? [[contactId, runAt]] : [])),
  );
}

/** Conversations with contacts and strangers, the last message first. The open one stays at its place. */
export function Conversations({ open }: { open: Which | undefined }) {
  const { data, error, reload } = useLoaded(
    asked,
    [String(place.value.query)],
    touching('message', 'contact', 'conversation', 'email'),
  );
  const later = useLoaded(scheduled, [scheduledChanges.value], touching('message', 'job'));
  const held = useRef<ReturnType<typeof heldInPlace<Row>>['held']>(undefined);
  const found = heldInPlace(data?.items ?? [], (row) => isSame(whichOf(row), open), held.current);
  if (data) held.current = found.held;
  const { rows } = found;
  const at = rows.findIndex((row) => isSame(whichOf(row), open));
  const shortcuts: Readonly<Record<number, string>> = at < 0 ? { 0: 'j' } : { [at + 1]: 'j', [at - 1]: 'k' };
  const isFiltered = ['q', 'unread', 'channel', 'who', 'state'].some(filter);
  return (
    <>
      <nav class="tabs" aria-label={t.common.state}>
        {states.map((state) => (
          <a
            key={state}
            href={withQuery({ state: state === 'open' ? undefined : state })}
            aria-current={state === stateShown() ? 'page' : undefined}
          >
            {t.inbox.states[state]}
          </a>
        ))}
      </nav>
      <Filters>
        <SearchField label={t.inbox.searchConversations} placeholder={t.inbox.searchConversations} />
        <Choice
          label={t.common.assignee}
          name="who"
          all={t.inbox.everybodys}
          options={[
            ['mine', t.inbox.mine],
            ['nobody', t.inbox.nobodys],
          ]}
        />
        <Choice label={t.inbox.show} name="unread" all={t.inbox.readAndUnread} options={[['yes', t.common.unread]]} />
        <Choice label={t.common.channel} name="channel" all={t.inbox.allChannels} options={channels} />
      </Filters>
      <Pending data={data} error={error} reload={reload} lines={8} />
      {data && rows.length === 0 && !data.hasMore && (
        <Empty title={isFiltered ? t.inbox.nothingFits : t.inbox.noConversationsYet}>
          {isFiltered ? (
            <p>
              <a href={linkTo(place.value.path)}>{t.inbox.showAllConversations}</a>
            </p>
          ) : (
            <p>
              {filled(t.inbox.whoeverWritesToItAppears, { a: <a href="#/accounts">{t.common.connectAnAccount}</a> })}
            </p>
          )}
        </Empty>
      )}
      {rows.length > 0 && (
        <ul class="people">
          {rows.map((row, index) => (
            <li key={row.id}>
              <Person
                row={row}
                isOpen={isSame(whichOf(row), open)}
                runAt={later.data?.get(row.contactId ?? 0)}
                shortcut={shortcuts[index]}
              />
            </li>
          ))}
        </ul>
      )}
      {data && (data.hasMore || filter('after') !== undefined) && (
        <nav class="pager" aria-label={t.inbox.pagesOfConversations}>
          {filter('after') !== undefined && <a href={withQuery({})}>{t.common.firstPage}</a>}
          {data.hasMore && <a href={withQuery({ after: data.nextCursor })}>{t.common.nextPage}</a>}
        </nav>
      )}
    </>
  );
}

interface PersonProps {
  row: Row;
  isOpen: boolean;
  /** When a scheduled message is sent. */
  runAt: string | undefined;
  /** The key that opens it. */
  shortcut: string | undefined;
}

function Person({ row, isOpen, runAt, shortcut }: PersonProps) {
  const { id, thread, lastMessage, unreadCount } = row;
  const which = whichOf(row);
  const draft = draftOf(draftName(which));
  // The list learns a little later that the open one was read.
  const isUnread = unreadCount > 0 && (!isOpen || keptUnread.value === id);
  const { channel, direction, preview, sentAt, status } = lastMessage ?? {};
  return (
    <a
      class={isUnread ? 'person unread' : 'person'}
      href={linkToConversation(which)}
      aria-current={isOpen ? 'true' : undefined}
      data-key={shortcut}
    >
      <span class="name one-line" {...userText}>
        {titleOf(row)}
        {isUnread && <span class="hidden"> {t.inbox.unread}</span>}
      </span>
      {sentAt ? <When at={sentAt} /> : <span />}
      <span class="preview" {...userText}>
        {draft ? (
          <>
            <strong class="draft">{t.inbox.draft}</strong>{' '}
            {draft.text || draft.subject || draft.files?.map(({ name: file }) => file).join(', ')}
          </>
        ) : (
          <>
            {thread && <b>{thread.subject || t.inbox.noSubject} </b>}
            {direction === 'outbound' && t.inbox.you}
            {preview || (lastMessage && t.inbox.anAttachment)}
          </>
        )}
      </span>
      <span class={status === 'failed' ? 'channel bad' : 'channel'}>
        {runAt && (
          <span class="later" title={t.inbox.willBeSent(shortTime(runAt))}>
            <Icon name="clock" />
            <span class="hidden">{t.inbox.willBeSent(shortTime(runAt))}</span>
          </span>
        )}
        {thread ? t.inbox.stranger : channel && channelNames[channel]}
      </span>
    </a>
  );
}
