import { Contacts, normalisedEmail, type StoredContact } from '#lib/contacts/contact.ts';
import { Messages } from '#lib/messages/message.ts';
import { storeMessage } from '#lib/messages/store.ts';
import { contactReplied } from '#lib/sequences/reply.ts';
import { listIndexed } from '#lib/table/list.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { distinct, tenantOf } from './address.ts';
import { previewOf } from './body.ts';
import type { Mail } from './mail.ts';
import { EmailMessages, MessageIds } from './message.ts';
import { countThread, storeEmail, updateThread } from './store.ts';
import { maxReferences, type StoredThread, Threads } from './thread.ts';
import { findThread } from './threading.ts';

const maxParticipants = 100;

/**
 * Stores an incoming mail in its thread, or in a new one, and in the conversation with the contact that has its sender's address.
 * A new message reopens a pending or closed thread. A mail that is already there (by its Message-ID) changes nothing. Emits
 * message.created.
 */
export async function receiveMail(tx: Transaction, mail: Mail): Promise<{ threadId: number; messageId: number }> {
  const known = mail.messageId === null ? undefined : await tx.find(MessageIds, { messageId: mail.messageId });
  if (known) return { threadId: known.threadId, messageId: known.id };
  const [thread, sender] = await Promise.all([findThread(tx, mail), contactWithEmail(tx, mail.from.email)]);
  await tx.reserveIds({ [EmailMessages.name]: 1, [Messages.name]: 1, ...(thread ? {} : { [Threads.name]: 1 }) });
  const contactId = sender?.id ?? thread?.contactId ?? null;
  const { id: threadId } = thread ? followUp(tx, thread, mail, contactId) : await openThread(tx, mail, contactId);
  const { id: messageId } = await storeEmail(tx, {
    threadId,
    direction: 'inbound',
    from: mail.from,
    to: mail.to,
    cc: mail.cc,
    bcc: [],
    subject: mail.subject,
    isRead: false,
    status: 'received',
    attachments: mail.attachments,
    sentAt: mail.sentAt,
    jobId: null,
    body: mail,
  });
  if (mail.messageId !== null) tx.create(MessageIds, { messageId: mail.messageId, threadId, id: messageId });
  await storeMessage(tx, {
    contactId,
    channel: 'email',
    direction: 'inbound',
    status: 'received',
    body: mail.bodyText,
    threadId: String(threadId),
    attachments: mail.attachments,
  });
  if (contactId !== null && !mail.isAutomatic) await contactReplied(tx, contactId);
  return { threadId, messageId };
}

/** The contact with this address; of several the one that was there first. */
async function contactWithEmail(tx: Transaction, email: string): Promise<StoredContact | undefined> {
  return (await listIndexed(tx, Contacts, `email=${normalisedEmail(email)}`)).at(-1);
}

async function openThread(tx: Transaction, mail: Mail, contactId: number | null): Promise<StoredThread> {
  const thread = tx.create(Threads, {
    id: await tx.nextId(Threads),
    subject: mail.subject,
    status: mail.isSpam ? 'spam' : 'open',
    unreadCount: 1,
    isStarred: false,
    contactId,
    assignedToUserId: null,
    aiLeadScore: null,
    createdAt: tx.now,
    ...latestOf(tx, mail, { participants: [], references: [] }),
  });
  countThread(tx, undefined, thread);
  return thread;
}

const followUp = (tx: Transaction, thread: StoredThread, mail: Mail, contactId: number | null): StoredThread =>
  updateThread(tx, thread, {
    ...thread,
    ...latestOf(tx, mail, thread),
    contactId: thread.contactId ?? contactId,
    unreadCount: thread.unreadCount + 1,
    status: thread.status === 'spam' ? 'spam' : 'open',
  });

const latestOf = (tx: Transaction, mail: Mail, before: Pick<StoredThread, 'participants' | 'references'>) => ({
  preview: previewOf(mail.bodyText),
  lastMessageAt: tx.now,
  participants: distinct([...before.participants, mail.from, ...mail.to, ...mail.cc]).slice(0, maxParticipants),
  lastInbound: {
    from: mail.from,
    others: distinct([...mail.to, ...mail.cc]).filter(({ email }) => tenantOf(email) === undefined),
    messageId: mail.messageId,
  },
  references: [...before.references, ...(mail.messageId === null ? [] : [mail.messageId])].slice(-maxReferences),
});
