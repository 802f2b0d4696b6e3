import type * as v from 'valibot';
import { unknownReference } from '#lib/core/problem.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { Inbounds } from '#lib/entities/inbound.ts';
import { type AtPlatform, Messages, type ReadMessages, type StoredMessage } from '#lib/entities/message.ts';
import { Peers } from '#lib/entities/peer.ts';
import { countEntries, listCopies } from '#lib/table/entries.ts';
import { sortableId } from '#lib/table/keys.ts';
import { stepThrough } from '#lib/table/list.ts';
import type { SagaKind } from '#lib/table/saga.ts';
import { summing } from '#lib/table/summing.ts';
import { startSaga } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { announceUnread, countUnread } from './conversation.ts';
import { announceRead } from './store.ts';

/**
 * Marks what a contact has written as read, up to a message or all of it; the contact has nothing unread when nothing is left. What
 * has no room follows before the answer, or by way of the saga. Returns how many they are. Emits message.read and conversation.updated. Raises 404, 400 for
 * a message of another contact, or for more messages than one call may count.
 */
export async function markInboundRead(
  tx: UnitOfWork,
  contactId: number,
  { upToMessageId }: v.InferOutput<typeof ReadMessages>,
): Promise<number> {
  const [contact, last, [newest]] = await Promise.all([
    tx.get(Contacts, { id: contactId }),
    upToMessageId === undefined ? undefined : tx.find(Messages, { contactId, id: upToMessageId }),
    listCopies(tx, Messages, { unread: { contactId } }, { limit: 1 }),
  ]);
  if (upToMessageId !== undefined && last === undefined) throw unknownReference('upToMessageId');
  const after = upToMessageId === undefined ? null : upToMessageId + 1;
  const isAll = after === null || newest === undefined || newest.of.sk < sortableId(after);
  if (contact.hasUnreadMessages && isAll) tx.update(Contacts, { ...contact, hasUnreadMessages: false });
  const unread = await countUnread(tx, { contact });
  const { read, left } = await markSome(tx, { contactId, readAt: tx.now, after });
  if (left) startSaga(tx, reading, left);
  const others = left
    ? await summing((meter) => countEntries(tx, Messages, { unread: { contactId } }, left.after ?? undefined, meter))
    : 0;
  const count = read.length + others;
  if (count > 0) announceUnread(tx, { contact }, unread, unread - count);
  return count;
}

type State = { contactId: number; readAt: string; after: number | null };

/** Marks the rest. Of a contact that has been merged nothing is unread but what came later. */
export const reading: SagaKind<State, 'read'> = {
  name: 'read',
  step: async (tx, state) => (await markSome(tx, state)).left,
};

const perStep = 75;

async function markSome(
  tx: UnitOfWork,
  { contactId, readAt, after }: State,
): Promise<{ read: StoredMessage[]; left: State | undefined }> {
  const read: StoredMessage[] = [];
  const where = { unread: { contactId } };
  const left = await stepThrough(tx, Messages, { where, after, limit: perStep }, (message) => {
    read.push(tx.update(Messages, { ...message, isRead: true, readAt }));
  });
  await announceRead(tx, read, readAt);
  await tellPlatform(tx, read);
  return { read, left: left && { contactId, readAt, ...left } };
}

/** The accounts of persons have Telegram mark it as read, too, when they look next: that is at once. */
async function tellPlatform(tx: UnitOfWork, read: readonly StoredMessage[]): Promise<void> {
  for (const { accountId, atPlatform } of newestOfEach(read)) {
    const inbound = await tx.find(Inbounds, { id: accountId });
    const peer = inbound?.dueAt && !inbound.isHooked && (await tx.find(Peers, { accountId, name: atPlatform.userId }));
    if (!peer || Number(peer.readUpTo ?? 0) >= Number(atPlatform.messageId)) continue;
    tx.update(Peers, { ...peer, readUpTo: atPlatform.messageId });
    tx.update(Inbounds, { ...inbound, dueAt: tx.now });
  }
}

type Known = StoredMessage & { accountId: number; atPlatform: AtPlatform };

const isKnown = (message: StoredMessage): message is Known => message.accountId !== null && message.atPlatform !== null;

/** Returns the newest message between each account and person. */
function newestOfEach(messages: readonly StoredMessage[]): Known[] {
  const newest = new Map<string, Known>();
  for (const message of messages.filter(isKnown)) {
    const name = `${message.accountId}/${message.atPlatform.userId}`;
    const known = newest.get(name);
    const isNewer = !known || Number(known.atPlatform.messageId) < Number(message.atPlatform.messageId);
    if (isNewer) newest.set(name, message);
  }
  return [...newest.values()];
}
