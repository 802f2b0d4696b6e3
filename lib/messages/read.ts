import type * as v from 'valibot';
import { Contacts } from '#lib/entities/contact.ts';
import { Messages, type ReadMessages, type StoredMessage } from '#lib/entities/message.ts';
import { unknownReference } from '#lib/problem.ts';
import { countEntries, listCopies } from '#lib/table/entries.ts';
import { sortableId } from '#lib/table/keys.ts';
import { stepThrough } from '#lib/table/list.ts';
import type { SagaKind } from '#lib/table/saga.ts';
import { startSaga } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { announceRead } from './store.ts';

/**
 * Marks what a contact has written as read, up to a message or all of it; the contact has nothing unread when nothing is left. What
 * has no room follows before the answer, or by way of the saga. Returns how many they are. Emits message.read. Raises 404, 400 for
 * a message of another contact.
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
  const { read, left } = await markSome(tx, { contactId, readAt: tx.now, after });
  if (left === undefined) return read.length;
  startSaga(tx, reading, left);
  const others = await countEntries(tx, Messages, { unread: { contactId } }, left.after ?? undefined);
  return read.length + others;
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
  return { read, left: left && { contactId, readAt, ...left } };
}
