import { EmailMessages, type StoredEmailMessage } from '#lib/entities/email-message.ts';
import type { StoredJob } from '#lib/entities/job.ts';
import { firstIndexed } from '#lib/table/entries.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** The mail that a job sends. */
export async function mailOf(tx: UnitOfWork, { id }: Pick<StoredJob, 'id'>): Promise<StoredEmailMessage> {
  const mail = await firstIndexed(tx, EmailMessages, { job: id });
  if (!mail) throw new Error(`job ${id} has no e-mail`);
  return mail;
}

/** The mail of a job follows the job's status. */
export async function settleMail(tx: UnitOfWork, job: Pick<StoredJob, 'id' | 'status'>): Promise<void> {
  const mail = await mailOf(tx, job);
  tx.update(EmailMessages, { ...mail, status: job.status, sentAt: job.status === 'sent' ? tx.now : null });
}
