import { isAddressOfAnother, isThreadOfAnother, outsidersOf } from '#lib/email/participants.ts';
import { MailNotices } from '#lib/entities/bounce.ts';
import { BodyParts, EmailMessages, MessageIds, type StoredEmailMessage } from '#lib/entities/email-message.ts';
import { type StoredThread, Threads } from '#lib/entities/email-thread.ts';
import { Jobs } from '#lib/entities/job.ts';
import { Messages } from '#lib/entities/message.ts';
import { removeFiles } from '#lib/files/bucket.ts';
import { keysOf } from '#lib/files/keys.ts';
import { threadsOnlyWith } from '#lib/privacy/threads.ts';
import { entityPartition } from '#lib/table/entity.ts';
import { listPage, stepThrough } from '#lib/table/list.ts';
import { pages } from '#lib/table/pages.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { eraseFiles } from './files.ts';
import { eraseJob } from './jobs.ts';
import { type Count, maxIds, type Part, type Place, pagesPerPart } from './part.ts';

interface State {
  contactId: number;
  ofId?: number;
  emails: string[];
  emailsLeft: string[];
  threadIds: number[];
  place: Place;
}

/** Removes the threads of a contact in which nobody else takes part; the others are no longer its own. */
export async function eraseThreadsOf(
  tx: UnitOfWork,
  { contactId, ofId = contactId, emails, threadIds }: State,
  count: Count,
): Promise<Part> {
  // Traces of these threads are removed before the next threads go.
  if (threadIds.length >= maxIds) return { isLeft: false, isOverfull: true };
  const { items, hasMore } = await listPage(tx, Threads, { where: { contact: ofId }, limit: 10 });
  const gone = [...threadIds];
  for (const thread of items) {
    if (!tx.hasRoom) return { isLeft: true, threadIds: gone };
    const isShared = outsidersOf(tx.tenant, thread).length > 1;
    if (isShared || (await isThreadOfAnother(tx, thread, contactId, emails)))
      tx.update(Threads, { ...thread, contactId: null });
    else if (await eraseThread(tx, thread, count)) gone.push(thread.id);
    else return { isLeft: true, threadIds: gone };
  }
  return { isLeft: hasMore, threadIds: gone };
}

/** Removes the threads whose only outsider has an address of the contact: such that belong to no contact, of whom nobody else has it. */
export async function eraseThreadsNaming(
  tx: UnitOfWork,
  { contactId, emailsLeft, threadIds, place }: State,
  count: Count,
): Promise<Part> {
  const [email, ...others] = emailsLeft;
  if (email === undefined) return { isLeft: false };
  const next = { emailsLeft: others, isLeft: true, place: {} };
  if (await isAddressOfAnother(tx, email, contactId)) return next;
  if (threadIds.length >= maxIds) return { isLeft: false, isOverfull: true };
  const after = place.after ?? undefined;
  const { items, nextCursor } = await threadsOnlyWith(tx, email, { after, limit: 10 });
  const gone = [...threadIds];
  for (const thread of items) {
    if (!tx.hasRoom || !(await eraseThread(tx, thread, count))) return { isLeft: true, threadIds: gone, place };
    gone.push(thread.id);
  }
  if (nextCursor === null) return { ...next, threadIds: gone };
  return { isLeft: true, threadIds: gone, place: { after: nextCursor } };
}

/** Removes a thread with its mails while there is room; whether it is gone. */
async function eraseThread(tx: UnitOfWork, thread: StoredThread, count: Count): Promise<boolean> {
  const within = { threadId: thread.id };
  const left = await stepThrough(tx, EmailMessages, { within, limit: 20, after: null }, (mail) =>
    eraseMail(tx, mail, count),
  );
  if (left) return false;
  for await (const page of pages({ pk: entityPartition(tx.tenant, MailNotices, within), limit: 100 })) {
    for (const row of page) {
      if (!tx.hasRoom) return false;
      tx.delete(MailNotices, tx.remember(MailNotices, row));
    }
  }
  tx.delete(Threads, thread);
  count('emailThreads');
  return true;
}

async function eraseMail(tx: UnitOfWork, mail: StoredEmailMessage, count: Count): Promise<void> {
  const { threadId, id: messageId, moreParts, jobId, attachments } = mail;
  const [parts, job] = await Promise.all([
    tx.findAll(
      BodyParts,
      Array.from({ length: moreParts }, (_, index) => ({ threadId, messageId, part: index + 1 })),
    ),
    jobId === null ? undefined : tx.find(Jobs, { id: jobId }),
  ]);
  if (job) await eraseJob(tx, job, count);
  // The contact with the conversation may have been erased before.
  await removeFiles(attachments.flatMap((one) => keysOf(tx.tenant, one)));
  for (const part of parts) tx.delete(BodyParts, part);
  tx.delete(EmailMessages, mail);
  count('emailMessages');
}

/** Removes what the conversations of nobody hold of the threads that are gone. */
export async function eraseLooseMessages(tx: UnitOfWork, { threadIds, place }: State, count: Count): Promise<Part> {
  if (threadIds.length === 0) return { isLeft: false };
  const gone = new Set(threadIds.map(String));
  const left = await stepThrough(
    tx,
    Messages,
    {
      within: { contactId: null },
      after: place.after ?? null,
      limit: 50,
      matches: ({ channel, threadId }) => channel === 'email' && threadId !== null && gone.has(threadId),
    },
    async (message) => {
      await eraseFiles(tx, message);
      tx.delete(Messages, message);
      count('messages');
    },
  );
  return left ? { isLeft: true, place: left } : { isLeft: false };
}

/** Removes the Message-IDs by which mails of the threads that are gone were found. */
export async function eraseMessageIds(tx: UnitOfWork, { threadIds, place }: State): Promise<Part> {
  if (threadIds.length === 0) return { isLeft: false };
  const gone = new Set(threadIds);
  let above = place.above;
  let read = 0;
  const range = { ascending: true, limit: 1000, ...(above !== undefined && { above }) };
  for await (const page of pages({ pk: entityPartition(tx.tenant, MessageIds), ...range })) {
    for (const row of page) {
      if (!tx.hasRoom) return { isLeft: true, place: { ...(above !== undefined && { above }) } };
      if (gone.has(Number(row['threadId']))) tx.delete(MessageIds, tx.remember(MessageIds, row));
      above = row.sk;
    }
    read += 1;
    if (read === pagesPerPart) return { isLeft: true, place: { ...(above !== undefined && { above }) } };
  }
  return { isLeft: false };
}
