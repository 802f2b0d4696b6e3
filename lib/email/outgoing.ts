import type { StoredJob } from '#lib/jobs/job.ts';
import { createJob } from '#lib/jobs/store.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import type { Workspace } from '#lib/workspaces/workspace.ts';
import type { Mailbox } from './address.ts';
import { storeEmail } from './store.ts';
import type { StoredThread } from './thread.ts';

export interface NewMail {
  to: Mailbox;
  cc?: readonly Mailbox[];
  bcc?: readonly Mailbox[];
  subject: string;
  bodyText: string;
  bodyHtml?: string | null;
  runAt?: string | null;
}

/** Who asks for it. */
export type Origin = Pick<StoredJob, 'source'> & Partial<Pick<StoredJob, 'apiKeyId' | 'sequenceId' | 'enrollmentId'>>;

/** Queues a mail of a thread; until it is sent the thread shows it as queued. */
export async function queueMail(
  tx: Transaction,
  thread: StoredThread,
  { name, email }: Workspace,
  mail: NewMail,
  origin: Origin,
): Promise<StoredJob> {
  const { to, cc = [], bcc = [], subject, bodyText, bodyHtml = null } = mail;
  const job = await createJob(tx, {
    ...origin,
    channel: 'email',
    accountId: null,
    contactId: thread.contactId,
    recipient: to.email,
    text: bodyText,
    runAt: mail.runAt,
    threadId: String(thread.id),
  });
  await storeEmail(tx, {
    threadId: thread.id,
    direction: 'outbound',
    from: { name, email },
    to: [to],
    cc: [...cc],
    bcc: [...bcc],
    subject,
    isRead: true,
    status: 'queued',
    attachments: [],
    sentAt: null,
    jobId: job.id,
    body: { bodyText, bodyHtml },
  });
  return job;
}
