import * as v from 'valibot';
import { Contact, Contacts } from '#lib/entities/contact.ts';
import { Conversation, type ConversationQuery } from '#lib/entities/conversation.ts';
import { Mailbox, Thread, Threads } from '#lib/entities/email-thread.ts';
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
  query: v.InferOutput<typeof ConversationQuery>,
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
