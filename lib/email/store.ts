import type * as v from 'valibot';
import { changeRowsOf } from '#lib/contacts/follow.ts';
import type { Follower } from '#lib/contacts/follower.ts';
import { changesOf } from '#lib/events/changes.ts';
import { demandActiveMember } from '#lib/members/store.ts';
import { notFound } from '#lib/problem.ts';
import { listPage, type Page, searching } from '#lib/table/list.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { type Body, packed, unpacked } from './body.ts';
import { BodyParts, type EmailMessage, EmailMessages, messagesOf, type StoredEmailMessage } from './message.ts';
import { type StoredThread, type ThreadQuery, type ThreadStatus, Threads } from './thread.ts';

/** A thread. Raises 404. */
export const getThread = (tx: Transaction, id: number): Promise<StoredThread> =>
  tx.get(Threads, { id }, () => notFound('email thread'));

/** Threads in descending order of id. */
export function listThreads(
  tx: Transaction,
  { status, contactId, unreadOnly, q, assignedToUserId, isStarred, ...paging }: v.InferOutput<typeof ThreadQuery>,
): Promise<Page<StoredThread>> {
  const indexes = [
    status !== undefined && `status=${status}`,
    contactId !== undefined && `contact=${contactId}`,
    assignedToUserId !== undefined && `assignee=${assignedToUserId}`,
    unreadOnly === true && 'unread',
    isStarred === true && 'starred',
  ].filter((name) => name !== false);
  return listPage(tx, Threads, {
    ...paging,
    indexes,
    texts: searching(q),
    ...(isStarred === false && { matches: (thread: StoredThread) => !thread.isStarred }),
  });
}

/** Moves a thread to any status. Emits email.thread_updated unless it is there already. Raises 404. */
export async function setThreadStatus(tx: Transaction, id: number, status: ThreadStatus): Promise<StoredThread> {
  return announced(tx, await getThread(tx, id), { status });
}

/** Assigns a thread to a member, or to nobody. Emits email.thread_updated on a change. Raises 404, 400 for an unknown member. */
export async function setThreadAssignee(tx: Transaction, id: number, userId: number | null): Promise<StoredThread> {
  const [thread] = await Promise.all([getThread(tx, id), demandActiveMember(tx, 'userId', userId)]);
  return announced(tx, thread, { assignedToUserId: userId });
}

function announced(
  tx: Transaction,
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
      contact_id: thread.contactId === null ? null : String(thread.contactId),
      ...changesOf(thread, after, changed),
      actor: tx.eventActor,
    },
  });
  return updateThread(tx, thread, after);
}

/** Writes a changed thread and keeps the counts of open threads and unread messages exact. */
export function updateThread(tx: Transaction, before: StoredThread, after: StoredThread): StoredThread {
  countThread(tx, before, after);
  return tx.update(Threads, after);
}

/** Counts a thread as it was out and as it is in (contract section 11, `email`). */
export function countThread(tx: Transaction, before: StoredThread | undefined, after: StoredThread): void {
  const open = Number(after.status === 'open') - Number(before?.status === 'open');
  const unread = after.unreadCount - (before?.unreadCount ?? 0);
  if (open !== 0 || unread !== 0) tx.count('email', 'threads', { open, unread }, after.id);
}

type NewEmail = Omit<StoredEmailMessage, 'id' | 'createdAt' | 'body' | 'moreParts'> & { body: Body };

/** Adds a message to its thread. Its id comes from the counter `email-message`. */
export async function storeEmail(tx: Transaction, { body, ...message }: NewEmail): Promise<StoredEmailMessage> {
  const [first = '', ...more] = packed(body);
  const stored = tx.create(EmailMessages, {
    ...message,
    id: await tx.nextId(EmailMessages),
    createdAt: tx.now,
    body: first,
    moreParts: more.length,
  });
  for (const [index, part] of more.entries()) {
    tx.create(BodyParts, { threadId: stored.threadId, messageId: stored.id, part: index + 1, body: part });
  }
  return stored;
}

type Shown = v.InferInput<typeof EmailMessage>;

/** A page is shorter than asked for when its bodies would not fit an answer. */
const maxPageBytes = 4_000_000;

/** The messages of a thread, newest first. Raises 404. */
export async function listEmailMessages(
  tx: Transaction,
  threadId: number,
  paging: { after?: number | undefined; limit: number },
): Promise<Page<Shown>> {
  const [page] = await Promise.all([
    listPage(tx, EmailMessages, { ...paging, within: messagesOf(threadId) }),
    getThread(tx, threadId),
  ]);
  const items: Shown[] = [];
  let bytes = 0;
  for (const message of page.items) {
    const shown = { ...message, ...(await bodyOf(tx, message)) };
    bytes += Buffer.byteLength(JSON.stringify([shown.bodyText, shown.bodyHtml]));
    if (bytes > maxPageBytes && items.length > 0) return { items, nextCursor: items.at(-1)?.id ?? null, hasMore: true };
    items.push(shown);
  }
  return { ...page, items };
}

/** What a message says. */
export async function bodyOf(tx: Transaction, { threadId, id, body, moreParts }: StoredEmailMessage): Promise<Body> {
  const places = Array.from({ length: moreParts }, (_, index) => ({ threadId, messageId: id, part: index + 1 }));
  const more = moreParts === 0 ? [] : await tx.findAll(BodyParts, places);
  return unpacked([body, ...more.map((part) => part.body)]);
}

/** The threads of a merged contact. */
export const threadFollower: Follower = {
  move: (tx, from, to) => changeRowsOf(tx, Threads, from, (thread) => ({ ...thread, contactId: to.id })),
};
