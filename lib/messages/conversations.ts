import * as v from 'valibot';
import { count } from '#lib/core/schema.ts';
import { Contact, Contacts } from '#lib/entities/contact.ts';
import { Conversation } from '#lib/entities/conversation.ts';
import { Mailbox, type StoredThread, Thread, Threads } from '#lib/entities/email-thread.ts';
import { listCopies } from '#lib/table/entries.ts';
import { listPage } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { listConversations } from './conversation-list.ts';

const { id, name, username, email, company } = Contact.entries;

/** Conversation with the person it is with: a contact, or the sender and the subject of a stranger's thread. */
const InboxConversation = v.pipe(
  v.object({
    ...Conversation.entries,
    contact: v.nullable(v.pipe(v.object({ id, name, username, email, company }), v.title('InboxContact'))),
    thread: v.nullable(
      v.pipe(
        v.object({ id: Thread.entries.id, subject: Thread.entries.subject, from: v.nullable(Mailbox) }),
        v.title('InboxThread'),
      ),
    ),
  }),
  v.title('InboxConversation'),
);

export const InboxPage = v.pipe(
  v.object({ items: v.array(InboxConversation), nextCursor: v.nullable(v.string()), hasMore: v.boolean() }),
  v.title('InboxPage'),
);

/** Lists conversations, last message first, with whom each is. */
export async function listInbox(
  tx: UnitOfWork,
  query: Parameters<typeof listConversations>[1],
  hasMail: boolean,
): Promise<v.InferInput<typeof InboxPage>> {
  const page = await listConversations(tx, query, hasMail);
  const places = (field: 'contactId' | 'threadId') =>
    page.items.flatMap(({ [field]: one }) => (one === null ? [] : [{ id: one }]));
  const [contacts, threads] = await Promise.all([
    tx.findAll(Contacts, places('contactId')),
    tx.findAll(Threads, places('threadId')),
  ]);
  const items = page.items.map((one) => {
    const thread = threads.find((other) => other.id === one.threadId);
    return {
      ...one,
      contact: contacts.find((other) => other.id === one.contactId) ?? null,
      thread: thread ? { ...thread, from: thread.lastInbound?.from ?? thread.participants[0] ?? null } : null,
    };
  });
  return { ...page, items };
}

export const UnreadConversations = v.pipe(v.object({ unread: count() }), v.title('UnreadConversations'));

/** Limit of what is counted of each kind. */
const maxUnread = 100;

/** Counts contacts with unread messages, and unread threads of strangers, up to 100 of each. */
export async function countUnreadConversations(
  tx: UnitOfWork,
  hasMail: boolean,
): Promise<v.InferOutput<typeof UnreadConversations>> {
  const matches = ({ contactId, status }: StoredThread) => contactId === null && status !== 'spam';
  const [contacts, threads] = await Promise.all([
    listCopies(tx, Contacts, { unread: true }, { limit: maxUnread }),
    hasMail ? listPage(tx, Threads, { where: { unread: true }, limit: maxUnread, matches }) : undefined,
  ]);
  return { unread: contacts.length + (threads?.items.length ?? 0) };
}
