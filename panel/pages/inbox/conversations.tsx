import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { channelNames, channels } from '../../app/channels.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { linkTo, place, withQuery } from '../../app/route.ts';
import { nameOf } from '../../app/show.ts';
import { Empty } from '../../parts/empty.tsx';
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
        <SearchField label="Search conversations" />
        <Choice label="Show" name="unread" options={[['yes', 'Unread']]} />
        <Choice label="Channel" name="channel" options={channels} />
      </Filters>
      <Pending data={data} error={error} reload={reload} lines={8} />
      {data?.items.length === 0 && (
        <Empty title={isFiltered ? 'Nothing fits' : 'No conversations yet'}>
          {isFiltered ? (
            <p>
              <a href={linkTo(place.value.path)}>Show all conversations</a>
            </p>
          ) : (
            <p>
              <a href="#/accounts">Connect an account</a>: whoever writes to it appears here.
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
        <nav class="pager" aria-label="Pages of conversations">
          {cursor() !== undefined && <a href={withQuery({})}>First page</a>}
          {data.hasMore && <a href={withQuery({ after: data.nextCursor })}>Next page</a>}
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
        {hasUnreadMessages && <span class="hidden"> (unread)</span>}
      </span>
      <When at={createdAt} />
      <span class="preview">
        {direction === 'outbound' && 'You: '}
        {body || 'An attachment'}
      </span>
      <span class={status === 'failed' ? 'channel bad' : 'channel'}>
        {status === 'failed' ? 'Not sent' : channelNames[channel]}
      </span>
    </a>
  );
}
