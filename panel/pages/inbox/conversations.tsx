import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { channelNames, channels } from '../../app/channels.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { linkTo, place, withQuery } from '../../app/route.ts';
import { nameOf } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Empty } from '../../parts/empty.tsx';
import { filled } from '../../parts/filled.tsx';
import { Choice, Filters, filter, SearchField } from '../../parts/filters.tsx';
import { cursor } from '../../parts/paged.tsx';
import { Pending } from '../../parts/pending.tsx';
import { When } from '../../parts/when.tsx';

const asked = (signal: AbortSignal) =>
  api.get('/panel/conversations', {
    signal,
    params: {
      query: {
        limit: 30,
        after: cursor(),
        q: filter('q'),
        isUnread: filter('unread') === 'yes' || undefined,
        channel: filter('channel') as Schema<'Channel'> | undefined,
      },
    },
  });

type Found = Awaited<ReturnType<typeof asked>>['items'][number];

/** Who writes with the workspace: unread first, then by the last message. */
export function Conversations({ openId }: { openId: number | undefined }) {
  const { data, error, reload } = useLoaded(
    asked,
    [String(place.value.query)],
    touching('message', 'contact', 'job', 'email'),
  );
  const isFiltered = ['q', 'unread', 'channel'].some(filter);
  return (
    <>
      <Filters>
        <SearchField label={t.inbox.searchConversations} />
        <Choice label={t.inbox.show} name="unread" options={[['yes', t.common.unread]]} />
        <Choice label={t.common.channel} name="channel" options={channels} />
      </Filters>
      <Pending data={data} error={error} reload={reload} lines={8} />
      {data?.items.length === 0 && (
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
      {data && data.items.length > 0 && (
        <ul class="people">
          {data.items.map((one) => (
            <li key={one.contact.id}>
              <Person {...one} isOpen={one.contact.id === openId} />
            </li>
          ))}
        </ul>
      )}
      {data && (data.hasMore || cursor() !== undefined) && (
        <nav class="pager" aria-label={t.inbox.pagesOfConversations}>
          {cursor() !== undefined && <a href={withQuery({})}>{t.common.firstPage}</a>}
          {data.hasMore && <a href={withQuery({ after: data.nextCursor })}>{t.common.nextPage}</a>}
        </nav>
      )}
    </>
  );
}

function Person({ contact, hasUnreadMessages, lastMessage, isOpen }: Found & { isOpen: boolean }) {
  const { body, channel, direction, createdAt, status } = lastMessage;
  return (
    <a
      class={hasUnreadMessages ? 'person unread' : 'person'}
      href={linkTo(`/inbox/${contact.id}`, Object.fromEntries(place.value.query))}
      aria-current={isOpen ? 'true' : undefined}
    >
      <span class="name">
        {nameOf(contact)}
        {hasUnreadMessages && <span class="hidden"> {t.inbox.unread}</span>}
      </span>
      <When at={createdAt} />
      <span class="preview">
        {direction === 'outbound' && 'You: '}
        {body || t.inbox.anAttachment}
      </span>
      <span class={status === 'failed' ? 'channel bad' : 'channel'}>
        {status === 'failed' ? t.inbox.notSent : channelNames[channel]}
      </span>
    </a>
  );
}
