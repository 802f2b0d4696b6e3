import { sameAddress, withAsciiDomain } from '#lib/email/address.ts';
import { markBounced } from '#lib/email/bounced.ts';
import type { Notice, Notices } from '#lib/email/notice.ts';
import { digestOf, MailNotices } from '#lib/entities/bounce.ts';
import type { StoredEmailMessage } from '#lib/entities/email-message.ts';
import { Jobs } from '#lib/entities/job.ts';
import { mailOf } from '#lib/jobs/mail.ts';
import { getJob, settleConversation } from '#lib/jobs/store.ts';
import { log } from '#lib/log.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { system } from '#lib/tenant.ts';
import { followingMail } from './following-mail.ts';
import { recordAttempt } from './settle.ts';

/**
 * Stores what SES reports of a mail, recipient by recipient. It reports of none that it has not taken, so one whose sender has not
 * settled it yet is settled as sent first. Of a mail that is not here any more, because it was erased, there is nothing to store.
 */
export async function receiveNotices({ tenant, jobId, messageId, notices }: Notices): Promise<void> {
  const job = await new UnitOfWork(tenant, system).find(Jobs, { id: jobId });
  if (job === undefined) {
    log().info('SES reports of a mail that is not here any more', { ...tenant, jobId, notices: notices.length });
    return;
  }
  if (job.status === 'queued')
    await recordAttempt(tenant, job, { outcome: { kind: 'sent' }, following: followingMail, facts: { messageId } });
  for (const notice of notices)
    await transact(tenant, system, async (tx) => takeNotice(tx, await mailOf(tx, { id: jobId }), notice));
}

/**
 * Stores what became of a mail with one recipient; known already, it changes nothing. A permanent bounce fails the mail and its job,
 * and marks the address if the mail went there: what bounces elsewhere an outsider may have stated. Emits email.bounced or
 * email.complained. Throws while the mail is being sent.
 */
export async function takeNotice(
  tx: UnitOfWork,
  { threadId, id: messageId, jobId, to, cc, bcc }: StoredEmailMessage,
  { recipient, type, reason }: Notice,
): Promise<{ isKnown: boolean }> {
  const job = await getJob(tx, jobId as number, 'email');
  if (job.status === 'queued') throw new Error(`the mail of job ${job.id} is still being sent`);
  const row = { threadId, messageId, notice: digestOf(type, withAsciiDomain(recipient)) };
  if ((await tx.find(MailNotices, row)) !== undefined) return { isKnown: true };
  tx.create(MailNotices, row);
  const data = { thread_id: String(threadId), message_id: String(messageId), recipient };
  const subject = `email-thread/${threadId}`;
  if (type === 'complaint') tx.emit({ kind: 'email.complained', subject, data });
  else tx.emit({ kind: 'email.bounced', subject, data: { ...data, bounce_type: type, reason } });
  if (type !== 'permanent') return { isKnown: false };
  if ([...to, ...cc, ...bcc].some(({ email }) => sameAddress(email, recipient))) await markBounced(tx, recipient);
  // Where several bounce the first says why.
  if (job.status === 'sent' || !job.lastError?.startsWith(bounced)) {
    const lastError = `${bounced}${reason}`;
    const failed = tx.update(Jobs, { ...job, status: 'failed', lastError, updatedAt: tx.now });
    await settleConversation(tx, failed);
  }
  return { isKnown: false };
}

const bounced = 'bounced: ';
