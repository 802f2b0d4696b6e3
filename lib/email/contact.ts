import type * as v from 'valibot';
import { addAddress } from '#lib/contacts/addresses.ts';
import { createContact } from '#lib/contacts/create.ts';
import { lookupOf } from '#lib/contacts/lookup.ts';
import { latest } from '#lib/core/clock.ts';
import { conflict, invalidField, Problem, problemAt, unknownReference } from '#lib/core/problem.ts';
import { Contacts, type StoredContact } from '#lib/entities/contact.ts';
import { type Mailbox, type SetThreadContact, type StoredThread, Threads } from '#lib/entities/email-thread.ts';
import { Jobs } from '#lib/entities/job.ts';
import { Messages, type StoredMessage } from '#lib/entities/message.ts';
import { united } from '#lib/entities/references/conversation.ts';
import { resolveMerged } from '#lib/entities/references/merged.ts';
import { changesOf, idText } from '#lib/events/changes.ts';
import { stepThrough } from '#lib/table/list.ts';
import type { SagaKind } from '#lib/table/saga.ts';
import { startSaga } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { outsidersOf } from './participants.ts';
import { getThread } from './store.ts';

/**
 * Connects a thread of a stranger with a contact, or with a new one, which gets its outside address. Messages and
 * conversation follow. Emits email.thread_updated. Raises 404, 400 for an unknown contact, 409 thread_has_contact, and
 * limit_reached for one address too many.
 */
export async function setThreadContact(
  tx: UnitOfWork,
  id: number,
  { contactId, create }: v.InferOutput<typeof SetThreadContact>,
): Promise<StoredThread> {
  const thread = await getThread(tx, id);
  if (contactId === undefined && create === undefined)
    throw invalidField('contactId', 'required', 'contactId or create is required');
  if (contactId !== undefined && create !== undefined)
    throw invalidField('create', 'not_allowed', 'create goes without contactId');
  const known = thread.contactId === null ? undefined : await resolveMerged(tx, thread.contactId);
  if (known !== undefined) {
    if (known.id === contactId) return thread;
    throw conflict('thread_has_contact', `thread ${id} is of contact ${known.id}: merge the contacts instead`);
  }
  const email = outsideOf(tx, thread)?.email ?? null;
  const contact = await contactOf(tx, { contactId, create: create && { email, ...create } });
  await connect(tx, contact, thread, email);
  const { conversation: _, ...rest } = thread;
  const after = tx.update(Threads, { ...rest, contactId: contact.id });
  tx.emit({
    kind: 'email.thread_updated',
    subject: `email-thread/${id}`,
    data: {
      thread_id: String(id),
      contact_id: idText(contact.id),
      ...changesOf(thread, after, ['contactId']),
      actor: tx.eventActor,
    },
  });
  startSaga(tx, connecting, { threadId: id, contactId: contact.id, unread: thread.unreadCount, after: null });
  return after;
}

/** Returns the sender of the newest inbound mail, else the first participant from outside. */
const outsideOf = (tx: UnitOfWork, thread: StoredThread): Mailbox | undefined =>
  thread.lastInbound?.from ?? outsidersOf(tx.tenant, thread)[0];

async function contactOf(
  tx: UnitOfWork,
  { contactId, create }: v.InferOutput<typeof SetThreadContact>,
): Promise<StoredContact> {
  const id = create === undefined ? contactId : (await asCreate(() => createContact(tx, create))).id;
  const contact = await tx.find(Contacts, { id: id as number });
  if (contact === undefined) throw unknownReference('contactId');
  return contact;
}

/** Names the fields of a refusal as they stand in the body: `create.phone`. */
const asCreate = <Result>(work: () => Promise<Result>): Promise<Result> =>
  work().catch((error) => {
    throw error instanceof Problem ? problemAt('create', error) : error;
  });

async function connect(
  tx: UnitOfWork,
  known: StoredContact,
  thread: StoredThread,
  email: string | null,
): Promise<void> {
  const { id } = known;
  const isNew = email !== null && !(await lookupOf(tx, 'email', email)).matches(known);
  if (isNew) await addAddress(tx, id, { kind: 'email', value: email, force: true });
  const contact = await tx.get(Contacts, { id });
  const conversation = united(contact.conversation, thread.conversation);
  const after = {
    ...contact,
    lastMessageAt: latest(contact.lastMessageAt, thread.conversation?.lastMessageAt ?? null),
    hasUnreadMessages: contact.hasUnreadMessages || thread.unreadCount > 0,
    ...(conversation && { conversation }),
  };
  tx.update(Contacts, after);
}

type Connecting = { threadId: number; contactId: number; unread: number; after: number | null };

const perStep = 25;

/** Moves what was written in a thread of nobody to its contact, the newest first, with the jobs that send it. */
export const connecting: SagaKind<Connecting, 'thread-contact'> = {
  name: 'thread-contact',
  async step(tx, state) {
    const [contact, thread] = await Promise.all([
      resolveMerged(tx, state.contactId),
      tx.find(Threads, { id: state.threadId }),
    ]);
    // An erasure takes the rest along.
    if (!contact || !thread) return undefined;
    tx.requireExists(Contacts, { id: contact.id });
    let { unread } = state;
    const left = await stepThrough(
      tx,
      Messages,
      {
        within: { contactId: null },
        after: state.after,
        limit: perStep,
        createdSince: thread.createdAt,
        matches: ({ channel, threadId, createdAt }) =>
          channel === 'email' && threadId === String(thread.id) && createdAt >= thread.createdAt,
      },
      async (message) => {
        const isUnread = message.direction === 'inbound' && unread > 0;
        if (isUnread) unread -= 1;
        await move(tx, message, contact.id, !isUnread);
      },
    );
    return left && { ...state, unread, ...left };
  },
};

async function move(tx: UnitOfWork, message: StoredMessage, contactId: number, isRead: boolean): Promise<void> {
  const job = message.jobId === null ? undefined : await tx.find(Jobs, { id: message.jobId });
  if (job) tx.update(Jobs, { ...job, contactId });
  tx.delete(Messages, message);
  tx.create(Messages, { ...message, contactId, isRead });
}
