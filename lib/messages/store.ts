import type * as v from 'valibot';
import { latest } from '#lib/clock.ts';
import { Contacts, type StoredContact } from '#lib/entities/contact.ts';
import { type MessageQuery, Messages, type StoredMessage } from '#lib/entities/message.ts';
import { idText } from '#lib/events/changes.ts';
import { resolveMerged } from '#lib/references/merged.ts';
import { matching } from '#lib/table/conditions.ts';
import { listPage, type Page } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

type Attachments = StoredMessage['attachments'];

export interface NewMessage {
  contactId: number | null;
  channel: StoredMessage['channel'];
  direction: StoredMessage['direction'];
  status: StoredMessage['status'];
  body: string;
  threadId?: string | null;
  accountId?: number | null;
  jobId?: number | null;
  attachments?: Attachments;
  sentAt?: string | null;
}

/**
 * Adds a message to the conversation with a contact. A received or sent one emits message.created and is the contact's last
 * message; a received one is unread. Ids come from the counter `message`.
 */
export async function storeMessage(tx: UnitOfWork, input: NewMessage): Promise<StoredMessage> {
  const { contactId, channel, direction, status, body } = input;
  const hasHappened = status === 'received' || status === 'sent';
  if (contactId !== null && !hasHappened) tx.requireExists(Contacts, { id: contactId });
  const [id] = await Promise.all([tx.nextId(Messages), hasHappened && findContact(tx, contactId)]);
  const message = tx.create(Messages, {
    id,
    contactId,
    channel,
    direction,
    body,
    threadId: input.threadId ?? null,
    accountId: input.accountId ?? null,
    jobId: input.jobId ?? null,
    status,
    isRead: direction === 'outbound',
    attachments: input.attachments ?? [],
    sentAt: hasHappened ? (input.sentAt ?? tx.now) : null,
    createdAt: tx.now,
  });
  if (hasHappened) await announce(tx, message);
  return message;
}

/** The message of a job follows the job's status; when it is sent, message.created is emitted. */
export async function settleMessage(
  tx: UnitOfWork,
  place: { contactId: number | null; messageId: number },
  status: 'queued' | 'sent' | 'failed',
): Promise<void> {
  const stored = await tx.get(Messages, { contactId: place.contactId, id: place.messageId });
  const message = tx.update(Messages, { ...stored, status, sentAt: status === 'sent' ? tx.now : null });
  if (status === 'sent') await announce(tx, message);
}

/** Puts the message of a job into the conversation of the contact that its recipient turned out to be. */
export async function assignMessage(
  tx: UnitOfWork,
  place: { contactId: number | null; messageId: number },
  contact: StoredContact,
): Promise<void> {
  const message = await tx.get(Messages, { contactId: place.contactId, id: place.messageId });
  tx.requireUnchanged(Contacts, contact);
  tx.delete(Messages, message);
  tx.create(Messages, { ...message, contactId: contact.id });
}

/** The conversation with a contact, newest first. Raises 404. */
export async function listMessages(
  tx: UnitOfWork,
  contactId: number,
  { channel, direction, since, until, ...paging }: v.InferOutput<typeof MessageQuery>,
): Promise<Page<StoredMessage>> {
  const [page] = await Promise.all([
    listPage(tx, Messages, {
      ...paging,
      within: { contactId },
      shownBytes: ({ body }) => Buffer.byteLength(body),
      ...matching<StoredMessage>(
        channel !== undefined && ((message) => message.channel === channel),
        direction !== undefined && ((message) => message.direction === direction),
        since !== undefined && ((message) => happenedAt(message) >= since),
        until !== undefined && ((message) => happenedAt(message) <= until),
      ),
    }),
    tx.get(Contacts, { id: contactId }),
  ]);
  return page;
}

const happenedAt = ({ sentAt, createdAt }: StoredMessage) => sentAt ?? createdAt;

const findContact = async (tx: UnitOfWork, id: number | null) => (id === null ? undefined : tx.get(Contacts, { id }));

async function announce(tx: UnitOfWork, message: StoredMessage): Promise<void> {
  const { sentAt } = message;
  const contact = message.contactId === null ? undefined : await resolveMerged(tx, message.contactId);
  const contactId = contact?.id ?? null;
  if (contact) {
    tx.update(Contacts, {
      ...contact,
      lastMessageAt: latest(contact.lastMessageAt, sentAt),
      hasUnreadMessages: contact.hasUnreadMessages || message.direction === 'inbound',
    });
  }
  tx.emit({
    kind: 'message.created',
    subject: contactId === null ? `message/${message.id}` : `contact/${contactId}`,
    data: {
      contact_id: idText(contactId),
      channel: message.channel,
      direction: message.direction,
      body: message.body,
      thread_id: message.threadId,
      message_id: String(message.id),
      account_id: idText(message.accountId),
      job_id: idText(message.jobId),
    },
  });
}
