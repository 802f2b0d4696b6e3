import type * as v from 'valibot';
import { log } from '#lib/core/log.ts';
import { notFound } from '#lib/core/problem.ts';
import { wordsOf } from '#lib/core/text.ts';
import { BodyParts, type EmailMessage, EmailMessages, type StoredEmailMessage } from '#lib/entities/email-message.ts';
import {
  type Mailbox,
  type StoredThread,
  type ThreadQuery,
  type ThreadStatus,
  Threads,
  textsOfThread,
} from '#lib/entities/email-thread.ts';
import { changesOf, idText } from '#lib/events/changes.ts';
import { listNoun } from '#lib/search/list.ts';
import { holding } from '#lib/table/conditions.ts';
import { listPage, maxPageBytes, type Page } from '#lib/table/list.ts';
import { listingFrom } from '#lib/table/listing.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { primeMember, requireActiveMember } from '#lib/workspaces/active-members.ts';
import { type Body, leastBytesIn, packBody, previewOf, unpackBody } from './body.ts';
import { participantsWith } from './participants.ts';

/** A thread. Raises 404. */
export const getThread = (tx: UnitOfWork, id: number): Promise<StoredThread> =>
  tx.get(Threads, { id }, () => notFound('email thread'));

/** Threads in descending order of id. */
export function listThreads(tx: UnitOfWork, query: v.InferOutput<typeof ThreadQuery>): Promise<Page<StoredThread>> {
  return listNoun(
    tx,
    Threads,
    listingFrom(Threads, query, {
      contactId: (contact) => ({ where: { contact } }),
      assignedToUserId: (assignee) => ({ where: { assignee } }),
      unreadOnly: (unreadOnly) => (unreadOnly ? { where: { unread: true } } : {}),
      isStarred: (isStarred) =>
        isStarred ? { where: { starred: true } } : { matches: (thread) => !thread.isStarred, columns: ['isStarred'] },
      q: (q) => holding(wordsOf(q), ['subject', 'preview', 'participants'], textsOfThread),
    }),
  );
}

/** Moves a thread to any status. Emits email.thread_updated unless it is there already. Raises 404. */
export async function setThreadStatus(tx: UnitOfWork, id: number, status: ThreadStatus): Promise<StoredThread> {
  return announced(tx, await getThread(tx, id), { status });
}

/** Assigns a thread to a member, or to nobody. Emits email.thread_updated on a change. Raises 404, 400 for an unknown member. */
export async function setThreadAssignee(tx: UnitOfWork, id: number, userId: number | null): Promise<StoredThread> {
  const [thread] = await Promise.all([getThread(tx, id), primeMember(tx, userId)]);
  await requireActiveMember(tx, 'userId', userId);
  return announced(tx, thread, { assignedToUserId: userId });
}

function announced(
  tx: UnitOfWork,
  thread: StoredThread,
  change: Partial<Pick<StoredThread, 'status' | 'assignedToUserId'>>,
): StoredThread {
  const after = { ...thread, ...change };
  const changed = (['status', 'assignedToUserId'] as const).filter((field) => thread[field] !== after[field]);
  if (changed.length === 0) return thread;
  tx.emit({
    kind: 'email.thread_updated',
    subject: `email-thread/${thread.id}`,
    data: {
      thread_id: String(thread.id),
      contact_id: idText(thread.contactId),
      ...changesOf(thread, after, changed),
      actor: tx.eventActor,
    },
  });
  return tx.update(Threads, after);
}

interface FirstMail {
  subject: string;
  bodyText: string;
  to: readonly Mailbox[];
  cc?: readonly Mailbox[];
  bcc?: readonly Mailbox[];
}

/** The thread that a mail of ours opens. Its id comes from the counter `email-thread`. */
export async function openThread(
  tx: UnitOfWork,
  contactId: number | null,
  { subject, bodyText, to, cc = [], bcc = [] }: FirstMail,
): Promise<StoredThread> {
  return tx.create(Threads, {
    id: await tx.nextId(Threads),
    subject,
    preview: previewOf(bodyText),
    status: 'open',
    unreadCount: 0,
    isStarred: false,
    contactId,
    assignedToUserId: null,
    aiLeadScore: null,
    lastMessageAt: tx.now,
    createdAt: tx.now,
    participants: participantsWith([], [...to, ...cc, ...bcc]),
    lastInbound: null,
    references: [],
  });
}

type NewEmail = Omit<StoredEmailMessage, 'createdAt' | 'body' | 'moreParts'> & { body: Body };

/** Adds a message to its thread. Its id is the next of the counter `email-message`. */
export async function storeEmail(tx: UnitOfWork, { body, ...message }: NewEmail): Promise<StoredEmailMessage> {
  const [first, ...more] = packBody(body, message);
  const stored = tx.create(EmailMessages, {
    ...message,
    createdAt: tx.now,
    body: first,
    moreParts: more.length,
  });
  for (const [index, part] of more.entries()) {
    tx.create(BodyParts, { threadId: stored.threadId, messageId: stored.id, part: index + 1, body: part });
  }
  return stored;
}

/** Replaces the body of a message that waits to be sent. */
export async function replaceBody(tx: UnitOfWork, message: StoredEmailMessage, body: Body): Promise<void> {
  const { body: _, moreParts: __, ...others } = message;
  const [first, ...more] = packBody(body, others);
  const before = await morePartsOf(tx, message);
  for (const part of before.slice(more.length)) tx.delete(BodyParts, part);
  for (const [index, part] of more.entries()) {
    const row = { threadId: message.threadId, messageId: message.id, part: index + 1, body: part };
    if (index < before.length) tx.update(BodyParts, row);
    else tx.create(BodyParts, row);
  }
  tx.update(EmailMessages, { ...message, body: first, moreParts: more.length });
}

type Shown = v.InferInput<typeof EmailMessage>;

/** A message of a thread. Raises 404. */
export const getEmailMessage = (tx: UnitOfWork, threadId: number, id: number): Promise<StoredEmailMessage> =>
  tx.get(EmailMessages, { threadId, id }, () => notFound('e-mail'));

/** The messages of a thread, newest first. Raises 404. */
export async function listEmailMessages(
  tx: UnitOfWork,
  threadId: number,
  paging: { after?: number | undefined; limit: number },
): Promise<Page<Shown>> {
  const [page] = await Promise.all([
    listPage(tx, EmailMessages, { ...paging, within: { threadId }, shownBytes: leastBytesOf }),
    getThread(tx, threadId),
  ]);
  const items: Shown[] = [];
  let bytes = 0;
  for (const message of page.items) {
    const shown = { ...message, authentication: message.authentication ?? null, ...(await shownBody(tx, message)) };
    bytes += Buffer.byteLength(JSON.stringify(shown));
    if (bytes > maxPageBytes && items.length > 0) return { items, nextCursor: items.at(-1)?.id ?? null, hasMore: true };
    items.push(shown);
  }
  return { ...page, items };
}

const leastBytesOf = ({ body, moreParts }: StoredEmailMessage) => leastBytesIn(body, moreParts);

/** Returns the body of a message. Throws if it cannot be unpacked. */
export const bodyOf = async (tx: UnitOfWork, message: StoredEmailMessage): Promise<Body> =>
  unpackBody(await partsOf(tx, message));

/** The same where one that cannot be read is not to hide the others of its thread. */
async function shownBody(tx: UnitOfWork, message: StoredEmailMessage): Promise<Body> {
  const parts = await partsOf(tx, message);
  try {
    return unpackBody(parts);
  } catch (error) {
    const reason = error instanceof Error ? error.name : 'unknown';
    log().error('the body of a mail cannot be read', { threadId: message.threadId, id: message.id, reason });
    const text = '[The text of this mail cannot be read.]';
    return { bodyText: text, bodyHtml: null, newText: text };
  }
}

const partsOf = async (tx: UnitOfWork, message: StoredEmailMessage): Promise<[string, ...string[]]> => [
  message.body,
  ...(await morePartsOf(tx, message)).map((part) => part.body),
];

function morePartsOf(tx: UnitOfWork, { threadId, id, moreParts }: StoredEmailMessage) {
  const places = Array.from({ length: moreParts }, (_, index) => ({ threadId, messageId: id, part: index + 1 }));
  return moreParts === 0 ? [] : tx.findAll(BodyParts, places);
}
