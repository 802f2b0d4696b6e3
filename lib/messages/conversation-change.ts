import type * as v from 'valibot';
import { dayMs, shifted } from '#lib/core/clock.ts';
import { invalidField } from '#lib/core/problem.ts';
import { Contacts } from '#lib/entities/contact.ts';
import type { Conversation, SetConversationState } from '#lib/entities/conversation.ts';
import { type StoredThread, Threads } from '#lib/entities/email-thread.ts';
import { Messages } from '#lib/entities/message.ts';
import { changed, opened } from '#lib/entities/references/conversation.ts';
import { listPage } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { primeMember, requireActiveMember } from '#lib/workspaces/active-members.ts';
import { announceUnread, countUnread, getHeld, keep, toView } from './conversation.ts';
import { markInboundRead } from './read.ts';

type Shown = v.InferInput<typeof Conversation>;

const maxAheadDays = 366;

/** Opens, snoozes, or ends a conversation. Raises 404, 400 for a snooze without a time, or with one that is past or too far ahead. */
export async function setConversationState(
  tx: UnitOfWork,
  id: number,
  { state, snoozedUntil = null }: v.InferOutput<typeof SetConversationState>,
  hasMail: boolean,
): Promise<Shown> {
  const held = await getHeld(tx, id, hasMail);
  if (state !== 'snoozed' && snoozedUntil !== null)
    throw invalidField('snoozedUntil', 'not_allowed', 'snoozedUntil goes with the state snoozed alone');
  if (state === 'snoozed') requireTime(tx, snoozedUntil);
  const after = changed(held.kept, { state: state === 'open' ? null : state, snoozedUntil });
  return toView(tx, keep(tx, held, after), { hasMail });
}

function requireTime(tx: UnitOfWork, until: string | null): void {
  if (until === null) throw invalidField('snoozedUntil', 'required', 'snoozedUntil is required for the state snoozed');
  if (until <= tx.now) throw invalidField('snoozedUntil', 'out_of_range', 'snoozedUntil must be ahead');
  if (until > shifted(tx.now, maxAheadDays * dayMs))
    throw invalidField('snoozedUntil', 'out_of_range', `snoozedUntil must be at most ${maxAheadDays} days ahead`);
}

/** Gives a conversation to a member, or to nobody. Raises 404, 400 for an unknown member. */
export async function assignConversation(
  tx: UnitOfWork,
  id: number,
  userId: number | null,
  hasMail: boolean,
): Promise<Shown> {
  const [held] = await Promise.all([getHeld(tx, id, hasMail), primeMember(tx, userId)]);
  await requireActiveMember(tx, 'userId', userId);
  return toView(tx, keep(tx, held, changed(held.kept, { assignedToUserId: userId })), { hasMail });
}

/** Marks all messages of a conversation as read. Raises 404. */
export async function readConversation(tx: UnitOfWork, id: number, hasMail: boolean): Promise<Shown> {
  const held = await getHeld(tx, id, hasMail);
  if (held.contact) await markInboundRead(tx, held.contact.id, {});
  else if (held.thread.unreadCount > 0) setUnread(tx, held.thread, 0);
  return toView(tx, held, { hasMail, unreadCount: 0 });
}

function setUnread(tx: UnitOfWork, thread: StoredThread, unreadCount: number): void {
  tx.update(Threads, { ...thread, unreadCount });
  announceUnread(tx, { thread }, thread.unreadCount, unreadCount);
}

/**
 * Marks the last received message of a conversation as unread, unless one is. Does nothing where none was received, or where a caller
 * without mail could not see it. Raises 404.
 */
export async function unreadConversation(tx: UnitOfWork, id: number, hasMail: boolean): Promise<Shown> {
  const held = await getHeld(tx, id, hasMail);
  const { contact, thread } = held;
  const unreadCount = await countUnread(tx, held, hasMail);
  if (unreadCount > 0) return toView(tx, held, { hasMail, unreadCount });
  if (thread) {
    if (thread.lastInbound === null) return toView(tx, held, { hasMail, unreadCount });
    setUnread(tx, thread, 1);
    return toView(tx, held, { hasMail, unreadCount: 1 });
  }
  const { items } = await listPage(tx, Messages, {
    within: { contactId: contact.id },
    limit: 1,
    matches: ({ direction, channel }) => direction === 'inbound' && (hasMail || channel !== 'email'),
  });
  const [last] = items;
  if (last === undefined) return toView(tx, held, { hasMail, unreadCount });
  const before = await countUnread(tx, held);
  tx.update(Messages, { ...last, isRead: false, readAt: null });
  tx.update(Contacts, { ...contact, hasUnreadMessages: true });
  announceUnread(tx, held, before, before + 1);
  return toView(tx, held, { hasMail, unreadCount: 1 });
}

/** Opens a snoozed conversation whose time has come. Emits conversation.updated. */
export async function wakeConversation(
  tx: UnitOfWork,
  { contactId, threadId }: { contactId?: number | undefined; threadId?: number | undefined },
): Promise<void> {
  const [contact, thread] = await Promise.all([
    contactId === undefined ? undefined : tx.find(Contacts, { id: contactId }),
    threadId === undefined ? undefined : tx.find(Threads, { id: threadId }),
  ]);
  const place = contact ? { contact } : thread && { thread };
  const kept = (contact ?? thread)?.conversation;
  if (!place || kept?.snoozedUntil === undefined || kept.snoozedUntil > tx.now) return;
  keep(tx, { ...place, kept }, changed(kept, opened));
}
