import { Fragment } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { draftOf, keepDraft } from '../../app/drafts.ts';
import { touchingContact } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { namesOf, useMemberList } from '../../app/names.ts';
import { linkTo } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { longDate, nameOf, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { complain } from '../../app/toasts.ts';
import { Archived } from '../../parts/archived.tsx';
import { Back } from '../../parts/back.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Head } from '../../parts/head.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Beside } from './beside.tsx';
import { Composer } from './composer.tsx';
import { Message } from './message.tsx';
import { newest, Reading, usePlace } from './reading.tsx';
import { keptUnread, State, scheduledChanges, useConversation } from './state.tsx';
import { wayKey } from './ways.ts';
import { conversationId, draftName, listFilters } from './which.ts';

const pageSize = 50;

/** Everything that was written with one contact, on all channels, and the answer to it. */
export function Conversation({ contactId }: { contactId: number }) {
  const path = { id: contactId };
  const [shown, setShown] = useState(pageSize);
  const reading = usePlace();
  const contact = useLoaded(
    (signal) => api.get('/v1/contacts/{id}', { signal, params: { path, query: { include: 'archive' } } }),
    [],
    touchingContact(contactId, 'contact'),
  );
  const messages = useLoaded(
    (signal) =>
      newest((query) => api.get('/v1/contacts/{id}/messages', { signal, params: { path, query } }), shown, reading),
    [shown],
    touchingContact(contactId, 'message', 'job', 'email', 'contact'),
  );
  const jobs = useLoaded(
    (signal) => api.get('/v1/jobs', { signal, params: { query: { contactId, limit: 100 } } }),
    [],
    touchingContact(contactId, 'message', 'job'),
  );
  const accounts = useLoaded((signal) => api.get('/v1/contacts/{id}/channels', { signal, params: { path } }), []);
  const accountOf = ({ channel, accountId }: MessageOf) =>
    accounts.data?.items.find((of) => of.channel === channel && of.accountId === accountId)?.accountName;
  // A message that waits for its time is told by no event yet.
  const changed = () => {
    messages.reload();
    jobs.reload();
    scheduledChanges.value += 1;
  };
  const names = namesOf(useMemberList());
  const { data } = contact;
  // An archived contact takes no changes.
  const isOpen = data !== undefined && !data.archive;
  useMarkedAsRead(contactId, isOpen ? messages.data?.items : undefined);
  const state = useConversation(conversationId({ contactId }), touchingContact(contactId, 'message'));
  const name = data ? nameOf(data) : t.inbox.conversation;
  return (
    <section class="conversation" aria-label={t.inbox.conversationWith(name)}>
      <Head title={name} above={<Back to={linkTo('/inbox', listFilters())}>{t.common.inbox}</Back>}>
        {isOpen && <State of={state} />}
        <Badge>{data ? worded(data.stage) : '…'}</Badge>
        <a class="button small" href={linkTo(`/contacts/${contactId}`)}>
          {t.inbox.openContact}
        </a>
      </Head>
      {messages.error !== undefined && !messages.data ? (
        <Failure error={messages.error} again={messages.reload} />
      ) : (
        <Messages
          place={reading}
          items={messages.data?.items}
          jobs={jobs.data?.items ?? []}
          accountOf={accountOf}
          changed={changed}
          isFixed={!isOpen}
          earlier={messages.data?.hasMore ? () => setShown((before) => before + pageSize) : undefined}
        />
      )}
      {!data && <div class="composer" aria-hidden="true" />}
      {data?.archive && <Archived noun="contacts" of={data} name={name} names={names} reload={contact.reload} />}
      {data && isOpen && (
        <Composer
          key={data.id}
          which={{ contactId }}
          name={name}
          contact={data}
          messages={messages.data?.items ?? []}
          sent={changed}
        />
      )}
      {data && <Beside contact={contact} />}
    </section>
  );
}

type MessageOf = Schema<'Message'>;

/** What is seen is read. */
function useMarkedAsRead(contactId: number, items: readonly MessageOf[] | undefined): void {
  const unread = items?.findLast(({ direction, isRead }) => direction === 'inbound' && !isRead)?.id;
  useEffect(() => {
    if (unread === undefined || !may('contacts:write')) return;
    const mark = () => {
      if (document.hidden || keptUnread.peek() === conversationId({ contactId })) return;
      document.removeEventListener('visibilitychange', mark);
      const init = { params: { path: { id: contactId } }, body: { upToMessageId: unread } };
      api.post('/v1/contacts/{id}/messages/read', init).catch(complain);
    };
    document.addEventListener('visibilitychange', mark);
    mark();
    return () => document.removeEventListener('visibilitychange', mark);
  }, [unread]);
}

interface MessagesProps {
  place: ReturnType<typeof usePlace>;
  items: readonly MessageOf[] | undefined;
  jobs: readonly Schema<'Job'>[];
  accountOf(message: MessageOf): string | undefined;
  changed(): void;
  /** Whether no message can be answered. */
  isFixed: boolean;
  earlier: (() => void) | undefined;
}

/** Only Telegram knows answers to one message, of those that are there. */
const isAnswerable = ({ channel, accountId, status }: MessageOf) =>
  channel === 'telegram' && accountId !== null && status !== 'queued' && status !== 'failed' && may('telegram:send');

/** Begins an answer to one message, by the account that it came to or went out from. */
function answer({ id, contactId, body, channel, accountId }: MessageOf): void {
  const name = draftName({ contactId });
  const way = wayKey(channel, accountId ?? 0);
  keepDraft(name, { text: '', ...draftOf(name), way, answered: { id, text: body.slice(0, 200), way } });
  document.querySelector<HTMLElement>('.composer textarea')?.focus();
}

/** When a message was written; while it waits, when it was queued. */
const writtenAt = ({ sentAt, createdAt }: MessageOf) => sentAt ?? createdAt;

function Messages({ place, items, jobs, accountOf, changed, isFixed, earlier }: MessagesProps) {
  return (
    <Reading
      label={t.common.messages}
      place={place}
      ids={items?.map(({ id }) => id)}
      isLastOurs={items?.at(-1)?.direction === 'outbound'}
    >
      {!items && <Skeleton lines={6} />}
      {items?.length === 0 && <p class="muted">{t.inbox.nothingWasWrittenYetWrite}</p>}
      {earlier && (
        <button type="button" class="small" onClick={earlier}>
          {t.inbox.earlierMessages}
        </button>
      )}
      {items?.map((message, at) => {
        const day = longDate(writtenAt(message));
        const isNewDay = at === 0 || longDate(writtenAt(items[at - 1] as MessageOf)) !== day;
        return (
          <Fragment key={message.id}>
            {isNewDay && <h2 class="day">{day}</h2>}
            <Message
              message={message}
              account={accountOf(message)}
              job={jobs.find(({ id }) => id === message.jobId)}
              answered={items.find(({ id }) => id === message.replyToMessageId)}
              answer={!isFixed && isAnswerable(message) ? () => answer(message) : undefined}
              changed={changed}
            />
          </Fragment>
        );
      })}
    </Reading>
  );
}
