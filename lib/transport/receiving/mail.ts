import { contactWithEmail } from '#lib/contacts/lookup.ts';
import { env } from '#lib/core/env.ts';
import { addressKey } from '#lib/core/mail-address.ts';
import { canBeReached, distinct, isOurs, sameAddress } from '#lib/email/address.ts';
import type { Arrival } from '#lib/email/arrival.ts';
import { type Body, previewOf } from '#lib/email/body.ts';
import { abridged, type Mail } from '#lib/email/mail.ts';
import { participantsWith } from '#lib/email/participants.ts';
import { storeEmail } from '#lib/email/store.ts';
import { findThread, writerIn } from '#lib/email/threading.ts';
import type { Authentication, StoredEmailMessage } from '#lib/entities/email-message.ts';
import { EmailMessages, MessageIds } from '#lib/entities/email-message.ts';
import { maxParticipants, maxReferences, type StoredThread, Threads } from '#lib/entities/email-thread.ts';
import { Messages } from '#lib/entities/message.ts';
import { fetchLater } from '#lib/messages/attachments.ts';
import { storeMessage } from '#lib/messages/store.ts';
import { contactReplied } from '#lib/sequences/reply.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { countReceived, roomFor, type Sender } from './shares.ts';

/** Verdicts on a mail, apart from its content. */
export interface Judgement extends Pick<Arrival, 'isSpam' | 'hasVirus'> {
  authentication: Authentication;
  /** Key of the stored mail, which identifies a repeated mail without a Message-ID. */
  key?: string;
}

export interface Received {
  threadId: number;
  messageId: number;
  /** It was there already. */
  isKnown: boolean;
}

/**
 * Stores an incoming mail in its thread, or in a new one, and in the conversation with the contact that has its sender's address: the
 * thread's own, else the oldest.
 * A new message that somebody wrote reopens a pending or closed thread. A mail that is already there (by its Message-ID and sender) changes nothing.
 * Of a long mail the beginning of its text is kept where its sender has sent too much today.
 * What is not from whom it names (contract section 24) gets a thread of its own, and no contact has written it. So does what a filter
 * found spam or a virus in, marked as spam: a virus stops no sequence, and its files are not fetched. Emits message.created.
 */
export async function receiveMail(tx: UnitOfWork, mail: Mail, judgement: Judgement): Promise<Received> {
  const { authentication, hasVirus, key } = judgement;
  const isUnverified = authentication.verdict === 'fail';
  const isSpam = judgement.isSpam || hasVirus;
  const claim = await claimOf(tx, mail, authentication, key);
  if (claim.known) return { ...claim.known, isKnown: true };
  const { email } = mail.from;
  const thread = isUnverified || isSpam ? undefined : await findThread(tx, mail);
  const writer = thread && (await writerIn(tx, thread, email));
  const sender = writer ?? (isUnverified ? undefined : await contactWithEmail(tx, email));
  await tx.reserveIds({ [EmailMessages.name]: 1, [Messages.name]: 1, ...(thread ? {} : { [Threads.name]: 1 }) });
  // In a contact's thread somebody else may have written the mail.
  const contactId = sender?.id ?? null;
  const mailId = await tx.nextId(EmailMessages);
  const { id: threadId } = thread
    ? followUp(tx, thread, mail, { contactId, mailId })
    : await openThread(tx, mail, { contactId, mailId, isSpam, isUnverified: isUnverified || isSpam });
  const body = await bodyWithinDay(tx, mail, { contactId, email, verdict: authentication.verdict });
  const attachments = mail.attachments.map((one) => ({
    ...one,
    status: hasVirus ? ('failed' as const) : key === undefined ? ('expired' as const) : ('pending' as const),
    key: null,
  }));
  const { id: messageId } = await storeEmail(tx, {
    id: mailId,
    threadId,
    direction: 'inbound',
    from: mail.from,
    replyTo: answerable(mail),
    isAutomatic: mail.isAutomatic,
    to: mail.to,
    cc: mail.cc,
    bcc: [],
    subject: mail.subject,
    isRead: false,
    status: 'received',
    attachments,
    sentAt: mail.sentAt,
    jobId: null,
    authentication,
    body,
  });
  if (claim.name !== undefined) tx.create(MessageIds, { messageId: claim.name, threadId, id: messageId });
  const message = await storeMessage(tx, {
    contactId,
    channel: 'email',
    direction: 'inbound',
    status: 'received',
    body: body.bodyText,
    threadId: String(threadId),
    attachments,
    isAutomatic: mail.isAutomatic,
  });
  if (key !== undefined) {
    const refs = attachments.map((_, index) => String(index));
    fetchLater(tx, message, refs, { source: { kind: 'mail', key }, mail: { threadId, id: messageId } });
  }
  if (contactId !== null && !mail.isAutomatic && !hasVirus) await contactReplied(tx, contactId, { email });
  return { threadId, messageId, isKnown: false };
}

/** Bytes of a mail that are not counted against a day: they cost about as much as SES charges for it. */
const uncountedBytes = 64 * 1024;

/** Returns the body of a mail, shortened if it is long and its sender has used up the daily bytes, files included. */
async function bodyWithinDay(tx: UnitOfWork, mail: Mail, sender: Sender): Promise<Body> {
  // The conversation keeps the text once more.
  const bytes = 2 * Buffer.byteLength(mail.bodyText) + Buffer.byteLength(mail.bodyHtml ?? '');
  if (bytes <= uncountedBytes) return mail;
  if ((await roomFor(tx.tenant, sender)) < bytes) return abridged(mail, 'as much was received today as a day takes');
  tx.afterwards(() => countReceived(tx.tenant, sender, bytes));
  return mail;
}

/**
 * The name by which a mail is known when it comes again, and its place if it is there. Only who it is from takes a Message-ID:
 * neither a mail that is not, nor one of another sender keeps out the message that really has it.
 */
async function claimOf(
  tx: UnitOfWork,
  { messageId, from }: Mail,
  { verdict }: Authentication,
  key: string | undefined,
) {
  if (messageId === null) return claimed(tx, key && `stored as ${key}`);
  const ofSender = `${messageId} of ${addressKey(from.email)}`;
  if (verdict === 'fail') return claimed(tx, `${ofSender}, unverified`);
  const claim = await claimed(tx, messageId);
  const holder =
    claim.known && (await tx.find(EmailMessages, { threadId: claim.known.threadId, id: claim.known.messageId }));
  const isOther = holder !== undefined && !comesFrom(holder, from.email, verdict);
  return isOther ? claimed(tx, ofSender) : claim;
}

/** Whether a mail of this sender may be this one again. Everybody knows the Message-IDs of ours: only we send them again, from where all ours leave. */
function comesFrom(
  { direction, from }: StoredEmailMessage,
  sender: string,
  verdict: Authentication['verdict'],
): boolean {
  if (direction === 'inbound') return sameAddress(from.email, sender);
  return verdict === 'pass' && sameAddress(env('MAIL_FROM') ?? '', sender);
}

async function claimed(tx: UnitOfWork, name: string | undefined) {
  const known = name === undefined ? undefined : await tx.find(MessageIds, { messageId: name });
  return { name, known: known && { threadId: known.threadId, messageId: known.id } };
}

interface Opening {
  contactId: number | null;
  mailId: number;
  isSpam: boolean;
  isUnverified: boolean;
}

async function openThread(
  tx: UnitOfWork,
  mail: Mail,
  { contactId, mailId, isSpam, isUnverified }: Opening,
): Promise<StoredThread> {
  const thread = tx.create(Threads, {
    id: await tx.nextId(Threads),
    subject: mail.subject,
    status: isSpam ? 'spam' : 'open',
    unreadCount: 1,
    isStarred: false,
    contactId,
    assignedToUserId: null,
    aiLeadScore: null,
    createdAt: tx.now,
    ...(isUnverified && { isUnverified }),
    ...latestOf(tx, isUnverified ? { ...mail, to: [], cc: [] } : mail, mailId, { participants: [], references: [] }),
  });
  return thread;
}

const followUp = (
  tx: UnitOfWork,
  thread: StoredThread,
  mail: Mail,
  { contactId, mailId }: Pick<Opening, 'contactId' | 'mailId'>,
): StoredThread =>
  tx.update(Threads, {
    ...thread,
    ...latestOf(tx, mail, mailId, thread),
    // An answer goes to a person, where one wrote.
    ...(mail.isAutomatic && thread.lastInbound && { lastInbound: thread.lastInbound }),
    contactId: thread.contactId ?? contactId,
    unreadCount: thread.unreadCount + 1,
    status: thread.status === 'spam' || mail.isAutomatic ? thread.status : 'open',
  });

/** Returns the mailboxes of Reply-To that a mail can reach, without our own. */
const answerable = ({ replyTo }: Mail) => replyTo.filter(({ email }) => canBeReached(email) && !isOurs(email));

const latestOf = (
  tx: UnitOfWork,
  mail: Mail,
  mailId: number,
  before: Pick<StoredThread, 'participants' | 'references'>,
) => ({
  preview: previewOf(mail.bodyText),
  lastMessageAt: tx.now,
  participants: participantsWith(before.participants, [mail.from], [...mail.to, ...mail.cc]),
  lastInbound: {
    id: mailId,
    from: mail.from,
    replyTo: answerable(mail),
    others: distinct([...mail.to, ...mail.cc])
      .filter(({ email }) => !isOurs(email))
      .slice(0, maxParticipants),
    messageId: mail.messageId,
  },
  references: [...before.references, ...(mail.messageId === null ? [] : [mail.messageId])].slice(-maxReferences),
});
