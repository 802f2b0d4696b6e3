import { EmailMessages } from '#lib/entities/email-message.ts';
import type { Mailbox, StoredThread } from '#lib/entities/email-thread.ts';
import { Jobs, type StoredJob } from '#lib/entities/job.ts';
import type { StoredAttachment } from '#lib/entities/message.ts';
import type { Workspace } from '#lib/entities/workspace.ts';
import { keepFiles } from '#lib/messages/attachments.ts';
import { createJob } from '#lib/messages/jobs/store.ts';
import { spend } from '#lib/table/quota.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { newTextOf } from './quotes.ts';
import { storeEmail } from './store.ts';

export interface NewMail {
  to: readonly [Mailbox, ...Mailbox[]];
  cc?: readonly Mailbox[];
  bcc?: readonly Mailbox[];
  subject: string;
  bodyText: string;
  bodyHtml?: string | null;
  runAt?: string | null;
  attachments?: StoredAttachment[];
}

/** Origin of the mail: a call, the panel, or a sequence. */
export type Origin = Pick<StoredJob, 'source'> & Partial<Pick<StoredJob, 'apiKeyId' | 'sequenceId' | 'enrollmentId'>>;

/**
 * Queues a mail of a thread; until it is sent the thread shows it as queued. Raises 429 beyond the quota of recipients of
 * the day on which it leaves.
 */
export async function queueMail(
  tx: UnitOfWork,
  thread: StoredThread,
  { name, email }: Workspace,
  mail: NewMail,
  origin: Origin,
): Promise<StoredJob> {
  const { to, cc = [], bcc = [], subject, bodyText, bodyHtml = null, attachments = [] } = mail;
  const [created, paid] = await Promise.all([
    createJob(tx, {
      ...origin,
      channel: 'email',
      accountId: null,
      contactId: thread.contactId,
      recipient: to[0].email,
      text: bodyText,
      runAt: mail.runAt,
      threadId: String(thread.id),
      attachments,
    }),
    spend(tx, 'emails', to.length + cc.length + bcc.length, mail.runAt),
  ]);
  const job = paid ? tx.update(Jobs, { ...created, paid }) : created;
  const { id } = await storeEmail(tx, {
    id: await tx.nextId(EmailMessages),
    threadId: thread.id,
    direction: 'outbound',
    from: { name, email },
    to: [...to],
    cc: [...cc],
    bcc: [...bcc],
    subject,
    isRead: true,
    status: 'queued',
    attachments,
    sentAt: null,
    jobId: job.id,
    isAutomatic: false,
    replyTo: [],
    body: { bodyText, bodyHtml, newText: newTextOf(bodyText) },
  });
  keepFiles(tx, { id: job.messageId, attachments }, { threadId: thread.id, id });
  return job;
}
