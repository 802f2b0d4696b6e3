import { inParallel } from '#lib/core/async.ts';
import { maxId } from '#lib/core/schema.ts';
import { Feed, type FeedEvent } from '#lib/entities/feed-event.ts';
import { Messages } from '#lib/entities/message.ts';
import { findMessage } from '#lib/messages/store.ts';
import { entityPartition } from '#lib/table/entity.ts';
import { pages } from '#lib/table/pages.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { type Count, type Part, type Place, pagesPerPart } from './part.ts';

interface Body {
  event: string;
  data: Record<string, unknown>;
  erased?: true;
  truncated?: readonly string[];
}

/**
 * Takes the data out of the events that name a contact or whom it was made of, a thread that went with it or a message of nobody that
 * is gone, newest first. Deliveries show and send what the feed has.
 */
export async function eraseEvents(
  tx: UnitOfWork,
  { contactIds, threadIds, place }: { contactIds: number[]; threadIds: number[]; place: Place },
  count: Count,
): Promise<Part> {
  const names = new Set(contactIds.map(String));
  const threads = new Set(threadIds.map(String));
  let { below } = place;
  const part = (isLeft: boolean): Part => ({ isLeft, ...(below !== undefined && { place: { below } }) });
  let read = 0;
  for await (const page of pages({ pk: entityPartition(tx.tenant, Feed), limit: 500, below })) {
    const events = page.map((row) => ({ row, found: namedIn(row as unknown as FeedEvent) }));
    const gone = await messagesGone(
      tx,
      events.flatMap(({ found }) => found ?? []),
    );
    for (const { row, found } of events) {
      const { contact_id: contactId, thread_id: threadId, message_id: messageId } = found?.data ?? {};
      const isTheirs = names.has(String(contactId)) || threads.has(String(threadId)) || gone.has(String(messageId));
      if (found && isTheirs) {
        if (!tx.hasRoom) return part(true);
        const event = tx.remember(Feed, row);
        tx.update(Feed, { ...event, body: JSON.stringify(withoutData(found)) });
        count('events');
      }
      below = row.sk;
    }
    read += 1;
    if (read === pagesPerPart) return part(true);
  }
  return part(false);
}

/** Whether an event has lost its data. */
export const isErased = ({ body }: FeedEvent): boolean => (JSON.parse(body) as Body).erased === true;

/** Returns the body of an event that names a contact and is not erased yet. */
function namedIn({ body }: FeedEvent): Body | undefined {
  // The name may be spelled with escapes.
  if (!/"(contact|thread)_id"|\\u/.test(body)) return undefined;
  const event = JSON.parse(body) as Body;
  const states = Object.keys(event.data);
  // An archive may say of one that it is erased, and have more in it than that.
  if (event.erased) return states.some((name) => name !== 'contact_id') ? event : undefined;
  if (event.event !== 'contact.erased') return event;
  return states.some((name) => name !== 'contact_id' && name !== 'actor') ? event : undefined;
}

/**
 * The ids of messages that belonged to nobody and are gone, by whose erasure soever, as far as no thread tells: what was sent to
 * somebody by name, and files of mail that came before its contact was known.
 */
async function messagesGone(tx: UnitOfWork, events: readonly Body[]): Promise<Set<string>> {
  const ids = events.flatMap(({ data }) =>
    data['contact_id'] === null && data['message_id'] !== undefined && data['thread_id'] == null
      ? (idIn(data['message_id']) ?? [])
      : [],
  );
  const places = [...new Set(ids)].map((id) => ({ contactId: null, id }));
  const there = new Set((await tx.findAll(Messages, places)).map(({ id }) => id));
  const gone = new Set<string>();
  const elsewhere = places.filter(({ id }) => !there.has(id));
  await inParallel(elsewhere, 25, async ({ id }) => {
    if (!(await findMessage(tx, id))) gone.add(String(id));
  });
  return gone;
}

/** The id that an event states, as events do; undefined of whatever else an archive may have in its place. */
const idIn = (stated: unknown): number | undefined =>
  typeof stated === 'string' && /^[1-9]\d{0,9}$/.test(stated) && Number(stated) <= maxId ? Number(stated) : undefined;

function withoutData({ data, truncated: _, ...event }: Body): Body {
  const contactId = idIn(data['contact_id']);
  return { ...event, data: { contact_id: contactId === undefined ? null : String(contactId) }, erased: true };
}
