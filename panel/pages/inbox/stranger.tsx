import { useEffect, useState } from 'preact/hooks';
import { api } from '../../app/api.ts';
import { type AnyEvent, touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { linkTo, replacePlace } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { nameOf } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt, complain } from '../../app/toasts.ts';
import { useVisited } from '../../app/visited.ts';
import { Back } from '../../parts/back.tsx';
import { Badge } from '../../parts/badge.tsx';
import { ContactField } from '../../parts/contact-field.tsx';
import { contactIn } from '../../parts/contact-text.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Form } from '../../parts/form.tsx';
import { Head } from '../../parts/head.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Composer } from './composer.tsx';
import { OneMail } from './mail.tsx';
import { newest, Reading, usePlace } from './reading.tsx';
import { keptUnread, State, useConversation } from './state.tsx';
import { conversationId, listFilters } from './which.ts';

const pageSize = 20;

/** The mail thread of somebody who is no contact, the answer to it, and how they become one. */
export function Stranger({ threadId }: { threadId: number }) {
  const path = { id: threadId };
  const id = conversationId({ threadId });
  const reading = usePlace();
  const [isChoosing, setChoosing] = useState(false);
  const isOfThread = (event: AnyEvent) => touching('message', 'email', 'job')(event);
  const loaded = useLoaded(
    async (signal) => {
      const [thread, mails] = await Promise.all([
        api.get('/v1/email/threads/{id}', { signal, params: { path } }),
        newest(
          (query) => api.get('/v1/email/threads/{id}/messages', { signal, params: { path, query } }),
          pageSize,
          reading,
        ),
      ]);
      return { thread, mails: mails.items, hasMore: mails.hasMore };
    },
    [threadId],
    isOfThread,
  );
  const { data, error, reload } = loaded;
  const state = useConversation(id, isOfThread);
  const contactId = data?.thread.contactId;
  useEffect(() => {
    // By now the thread is a contact's.
    if (contactId) replacePlace(`/inbox/${contactId}`, listFilters());
  }, [contactId]);
  const unread = state.data?.unreadCount ?? 0;
  useEffect(() => {
    if (unread === 0 || !may('contacts:write') || document.hidden || keptUnread.peek() === id) return;
    api.post('/v1/conversations/{id}/read', { params: { path: { id } }, body: {} }).catch(complain);
  }, [unread]);
  const sender = data?.mails.findLast(({ direction }) => direction === 'inbound')?.from ?? data?.mails[0]?.to[0];
  const name = sender ? nameOf({ id: threadId, ...sender }) : t.inbox.conversation;
  useVisited('thread', sender && name);
  const connect = (body: { contactId: number } | { create: { name: string } }) =>
    api.post('/v1/email/threads/{id}/contact', { params: { path }, body });
  const mayConnect = may('email:write') && may('contacts:write');
  return (
    <section class="conversation stranger" aria-label={t.inbox.conversationWith(name)}>
      <Head title={name} above={<Back to={linkTo('/inbox', listFilters())}>{t.common.inbox}</Back>}>
        <State of={state} />
        <Badge>{t.inbox.stranger}</Badge>
        {mayConnect && sender && (
          <>
            <button
              type="button"
              class="small"
              onClick={() =>
                attempt(() => connect({ create: { name: sender.name || sender.email } }).then(reload), {
                  said: t.inbox.isAContactNow(name),
                })
              }
            >
              {t.inbox.makeAContact}
            </button>
            <button type="button" class="small" onClick={() => setChoosing(true)}>
              {t.inbox.belongsTo}
            </button>
          </>
        )}
      </Head>
      {error !== undefined && !data ? (
        <Failure error={error} again={reload} />
      ) : (
        <Reading
          label={t.common.messages}
          place={reading}
          ids={data?.mails.map((mail) => mail.id)}
          isLastOurs={data?.mails.at(-1)?.direction === 'outbound'}
        >
          {!data && <Skeleton lines={6} />}
          {data?.hasMore && <p class="hint">{t.inbox.newestOfThisThread}</p>}
          {data && <h2 class="day">{data.thread.subject || t.inbox.noSubject}</h2>}
          {data?.mails.map((mail) => (
            <OneMail key={mail.id} mail={mail} />
          ))}
        </Reading>
      )}
      {data && <Composer which={{ threadId }} name={name} messages={[]} sent={reload} />}
      {isChoosing && (
        <Dialog title={t.inbox.belongsTo} onClose={() => setChoosing(false)}>
          <Form
            submit={t.inbox.connect}
            onCancel={() => setChoosing(false)}
            onSubmit={async ({ contactId: chosen }) => {
              await connect({ contactId: contactIn(chosen) as number });
              setChoosing(false);
              reload();
            }}
          >
            <ContactField required />
          </Form>
        </Dialog>
      )}
    </section>
  );
}
