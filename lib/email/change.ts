import { Threads } from '#lib/entities/email-thread.ts';
import { Jobs, type StoredJob } from '#lib/entities/job.ts';
import { type Change, changeJob } from '#lib/messages/jobs/change.ts';
import { mailOf } from '#lib/messages/jobs/mail.ts';
import { getJob } from '#lib/messages/jobs/store.ts';
import { giveBack, spend } from '#lib/table/quota.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { previewOf } from './body.ts';
import { newTextOf } from './quotes.ts';
import { bodyOf, getThread, replaceBody } from './store.ts';

/**
 * Changes the text and the time of a mail that waits; a new text takes the place of its whole body. Raises 404, 400 for a time more
 * than a year ahead, 409 job_not_queued, 429 beyond the quota of the day on which it leaves.
 */
export async function changeMail(tx: UnitOfWork, id: number, change: Change): Promise<StoredJob> {
  const job = await getJob(tx, id, 'email');
  const changed = await changeJob(tx, job, change);
  if (changed === job) return job;
  if (change.text !== undefined) await rewrite(tx, job, change.text);
  return pay(tx, job, changed);
}

async function rewrite(tx: UnitOfWork, job: StoredJob, text: string): Promise<void> {
  const mail = await mailOf(tx, job);
  const [body, thread] = await Promise.all([bodyOf(tx, mail), getThread(tx, mail.threadId)]);
  if (body.bodyText === text) return;
  await replaceBody(tx, mail, { bodyText: text, bodyHtml: null, newText: newTextOf(text) });
  if (thread.preview === previewOf(body.bodyText)) tx.update(Threads, { ...thread, preview: previewOf(text) });
}

/** Pays for a mail that has moved to another day; one that is paid for when it leaves stays so. */
async function pay(tx: UnitOfWork, before: StoredJob, job: StoredJob): Promise<StoredJob> {
  if (job.isUnpaid || job.runAt.slice(0, 10) === before.runAt.slice(0, 10)) return job;
  const { to, cc, bcc } = await mailOf(tx, job);
  const paid = await spend(tx, 'emails', to.length + cc.length + bcc.length, job.runAt);
  if (before.paid) giveBack(tx, 'emails', before.paid);
  return tx.update(Jobs, { ...job, paid });
}
