import { log } from '#lib/core/log.ts';
import { addressKey, digestOf } from '#lib/core/mail-address.ts';
import { system } from '#lib/core/tenant.ts';
import type { Notice, Notices } from '#lib/email/notice.ts';
import { suppress } from '#lib/email/suppressed.ts';
import { MailNotices } from '#lib/entities/bounce.ts';
import type { StoredEmailMessage } from '#lib/entities/email-message.ts';
import { Jobs } from '#lib/entities/job.ts';
import { mailOf } from '#lib/messages/jobs/mail.ts';
import { emitCompleted, getJob, settleConversation } from '#lib/messages/jobs/store.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { mailCompletion } from './mail-completion.ts';
import { recordAttempt } from './settle.ts';

/**
 * Stores what SES reports of a mail, recipient by recipient. It reports of none that it has not taken, so one whose sender has not
 * settled it yet is settled as sent first. Of a mail that is not here any more, because it was erased, there is nothing to store, and
 * of those whom it did not go to nothing is: a server out there states in its bounce whom it likes, as many as it likes.
 */
export async function receiveNotices({ tenant, jobId, messageId, notices }: Notices): Promise<void> {
  const job = await new UnitOfWork(tenant, system).find(Jobs, { id: jobId });
  if (job === undefined) {
    log().info('SES reports of a mail that is not here any more', { ...tenant, jobId, notices: notices.length });
    return;
  }
  if (job.status === 'queued')
    await recordAttempt(tenant, job, { outcome: { kind: 'sent' }, completion: mailCompletion, facts: { messageId } });
  const mail = await mailOf(new UnitOfWork(tenant, system), { id: jobId });
  const ofRecipients = noticesFor(mail, notices);
  if (ofRecipients.length < notices.length)
    log().info('a notice names others than the recipients of its mail, or one of them again', {
      ...tenant,
      jobId,
      passedOver: notices.length - ofRecipients.length,
    });
  for (const notice of ofRecipients)
    await transact(tenant, system, async (tx) => takeNotice(tx, await mailOf(tx, { id: jobId }), notice));
}

/** Returns the first notice for each recipient of the mail, so that their number is bounded. */
function noticesFor({ to, cc, bcc }: StoredEmailMessage, notices: readonly Notice[]): Notice[] {
  const recipients = new Set([...to, ...cc, ...bcc].map(({ email }) => addressKey(email)));
  const found = new Map<string, Notice>();
  for (const notice of notices) {
    const key = addressKey(notice.recipient);
    if (recipients.has(key) && !found.has(key)) found.set(key, notice);
  }
  return [...found.values()];
}

/**
 * Stores what became of a mail with one of its recipients; known already, it changes nothing. A permanent bounce fails the mail and its
 * job, and marks the address unless the mail itself was wrong. Emits email.bounced or email.complained, and job.completed when the job becomes failed. Throws while the
 * mail is being sent.
 */
export async function takeNotice(
  tx: UnitOfWork,
  { threadId, id: messageId, jobId }: StoredEmailMessage,
  { recipient, type, reason, isOfMail = false }: Notice,
): Promise<{ isKnown: boolean }> {
  const job = await getJob(tx, jobId as number, 'email');
  if (job.status === 'queued') throw new Error(`the mail of job ${job.id} is still being sent`);
  const row = { threadId, messageId, notice: digestOf(type, addressKey(recipient)) };
  if ((await tx.find(MailNotices, row)) !== undefined) return { isKnown: true };
  tx.create(MailNotices, row);
  const data = { thread_id: String(threadId), message_id: String(messageId), recipient };
  const subject = `email-thread/${threadId}`;
  if (type === 'complaint') tx.emit({ kind: 'email.complained', subject, data });
  else tx.emit({ kind: 'email.bounced', subject, data: { ...data, bounce_type: type, reason } });
  if (type === 'complaint') await suppress(tx, recipient, 'complaint');
  if (type !== 'permanent') return { isKnown: false };
  if (!isOfMail) await suppress(tx, recipient, 'bounce');
  // Where several bounce the first says why.
  if (job.status === 'sent' || !job.lastError?.startsWith(bounced)) {
    const lastError = `${bounced}${reason}`;
    const failed = tx.update(Jobs, { ...job, status: 'failed', lastError, updatedAt: tx.now });
    await settleConversation(tx, failed);
    if (job.status === 'sent') emitCompleted(tx, failed);
  }
  return { isKnown: false };
}

const bounced = 'bounced: ';
