import { isMissing, isPassing, isThrottled } from '#lib/aws/aws.ts';
import { fromNow, now, secondMs } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import { measure } from '#lib/core/metrics.ts';
import { Problem } from '#lib/core/problem.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { mailTimeoutSeconds } from '#lib/core/timeouts.ts';
import { takePace } from '#lib/email/pace.ts';
import { composeMail, type OutgoingMail, sendMail } from '#lib/email/send.ts';
import { isDeploymentFault, mayHaveLeft } from '#lib/email/ses.ts';
import { bodyOf, getThread } from '#lib/email/store.ts';
import { maxRecipients } from '#lib/entities/email-message.ts';
import { Jobs, type StoredJob } from '#lib/entities/job.ts';
import { abandoned } from '#lib/messages/jobs/after.ts';
import { mailOf } from '#lib/messages/jobs/mail.ts';
import { claimJob } from '#lib/messages/jobs/queue.ts';
import type { Outcome } from '#lib/messages/jobs/sender.ts';
import { getJob } from '#lib/messages/jobs/store.ts';
import { unsubscribeUrl } from '#lib/sequences/unsubscribe.ts';
import { isDailyQuota, nextDayAt, spend } from '#lib/table/quota.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { getWorkspace } from '#lib/workspaces/store.ts';
import { outcomeBeforeSending } from './before.ts';
import { mailDimensions } from './dimensions.ts';
import { mailCompletion } from './mail-completion.ts';
import { recordAttempt } from './settle.ts';

/** Outlives the process that holds it. */
const claimMs = (mailTimeoutSeconds + 5) * secondMs;
/** A mail that SES may have taken leaves once more. */
const maxRepeats = 1;

/** Sends the mail of a job that is due, unless somebody else is at it or it is no longer wanted. */
export async function deliverEmail(tenant: Tenant, jobId: number): Promise<void> {
  const job = await claimJob(tenant, jobId, now() + claimMs);
  if (!job) return;
  const given = abandoned(job, maxRepeats) ?? (await unpaid(tenant, job));
  const { outcome, messageId } = given ? unsent(given) : await attempt(tenant, job);
  await recordAttempt(tenant, job, { outcome, completion: mailCompletion, facts: { messageId } });
}

/** Pays for a mail that nothing has paid for; undefined when it may leave, else it waits for the next day. */
async function unpaid(tenant: Tenant, { id, isUnpaid }: StoredJob): Promise<Outcome | undefined> {
  if (!isUnpaid) return undefined;
  try {
    await transact(tenant, system, async (tx) => {
      const job = await getJob(tx, id);
      if (!job.isUnpaid) return;
      const paid = await spend(tx, 'emails', countRecipients(await mailOf(tx, job)));
      tx.update(Jobs, { ...job, isUnpaid: false, ...(paid && { paid }) });
    });
    return undefined;
  } catch (error) {
    return isDailyQuota(error) ? { kind: 'not-yet', until: nextDayAt() } : notPrepared(error as Error);
  }
}

interface Attempt {
  outcome: Outcome;
  /** With which the mail left. */
  messageId: string | null;
}

const unsent = (outcome: Outcome): Attempt => ({ outcome, messageId: null });

async function attempt(tenant: Tenant, job: StoredJob): Promise<Attempt> {
  if (tenant.env === 'test') return unsent((await outcomeBeforeSending(tenant, job)) ?? sandboxed(job));
  if (job.attachmentCount === 0) return left(tenant, job);
  if (hasLargeAtHand) return unsent({ kind: 'not-yet', until: fromNow(largeWaitMs) });
  hasLargeAtHand = true;
  try {
    return await left(tenant, job);
  } finally {
    hasLargeAtHand = false;
  }
}

/** A mail with files takes up to 250 MB while it leaves: a process sends one of them at a time. */
let hasLargeAtHand = false;
const largeWaitMs = 3 * secondMs;

/** How old it may be that a mail is still wanted: it may wait for its turn for longer. */
const freshMs = secondMs;

async function left(tenant: Tenant, job: StoredJob): Promise<Attempt> {
  const lookedAtMs = now();
  const ready = await prepared(tenant, job).catch(notPrepared);
  if ('kind' in ready) return unsent(ready);
  const recipients = countRecipients(ready.mail);
  // All workspaces would wait for its turns, and SES would refuse it.
  if (recipients > maxRecipients)
    return unsent({ kind: 'failed', error: `a mail goes to at most ${maxRecipients} addresses, copies included` });
  const waitMs = await takePace(tenant, recipients);
  if (waitMs > 0) return unsent({ kind: 'not-yet', until: fromNow(waitMs) });
  const instead = now() - lookedAtMs >= freshMs ? await outcomeBeforeSending(tenant, job) : undefined;
  if (instead) return unsent(instead);
  try {
    const messageId = await sendMail(tenant, ready.mail, ready.content);
    return { outcome: { kind: 'sent' }, messageId };
  } catch (error) {
    return unsent(outcomeOf(error as Error));
  }
}

/** Returns the outcome of a failure before the call of SES, so that nothing has left. A refusal is permanent. */
const notPrepared = (error: Error): Outcome =>
  error instanceof Problem && error.status < 500
    ? { kind: 'failed', error: error.message }
    : isMissing(error)
      ? { kind: 'failed', error: 'the bytes of an attachment are gone' }
      : { kind: 'failed-for-now', error: `the mail could not be prepared (${error.name})` };

async function prepared(tenant: Tenant, job: StoredJob): Promise<{ mail: OutgoingMail; content: Buffer } | Outcome> {
  const [mail, instead] = await Promise.all([outgoing(tenant, job), outcomeBeforeSending(tenant, job)]);
  return instead ?? { mail, content: await composeMail(tenant, mail) };
}

async function outgoing(tenant: Tenant, job: StoredJob): Promise<OutgoingMail> {
  const tx = new UnitOfWork(tenant, system);
  const [mail, workspace] = await Promise.all([mailOf(tx, job), getWorkspace(tx)]);
  const [thread, body, url] = await Promise.all([
    getThread(tx, mail.threadId),
    bodyOf(tx, mail),
    unsubscribeUrl(tx, job),
  ]);
  return {
    ...mail,
    jobId: job.id,
    isAutomatic: job.sequenceId !== null,
    unsubscribeUrl: url,
    senderName: workspace.name,
    inReplyTo: thread.lastInbound?.messageId ?? thread.references.at(-1) ?? null,
    references: thread.references,
    body,
  };
}

const countRecipients = ({ to, cc, bcc }: Pick<OutgoingMail, 'to' | 'cc' | 'bcc'>) =>
  to.length + cc.length + bcc.length;

/** Returns the outcome of an error of SES. */
function outcomeOf(error: Error): Outcome {
  if (isThrottled(error) && !isDeploymentFault(error)) return { kind: 'throttled', error: error.message };
  if (mayHaveLeft(error))
    return { kind: 'failed-for-now', error: `no answer from SES (${error.name})`, mayHaveLeft: true };
  if (isDeploymentFault(error)) {
    log().error('SES takes no mail of this deployment', { error });
    measure(mailDimensions, { mailsRefused: 1 });
    return { kind: 'refused', error: error.message };
  }
  return { kind: isPassing(error) ? 'failed-for-now' : 'failed', error: error.message };
}

/** In the test environment nothing leaves (contract 0.7). */
function sandboxed({ recipient }: StoredJob): Outcome {
  const isRejected = recipient.toLowerCase().startsWith('test_fail@');
  return isRejected ? { kind: 'failed', error: 'recipient rejected' } : { kind: 'sent' };
}
