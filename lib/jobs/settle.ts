import { Accounts, type StoredAccount } from '#lib/accounts/account.ts';
import { setAccountState, startFloodWait } from '#lib/accounts/store.ts';
import { dayMs, secondMs, shifted, timestamp } from '#lib/clock.ts';
import { findContact } from '#lib/messages/recipient.ts';
import { assignMessage } from '#lib/messages/store.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { Jobs, type StoredJob } from './job.ts';
import type { Outcome } from './sender.ts';
import { fail, getJob, jobFailed, jobFailedForNow, jobSent } from './store.ts';

/** Writes what became of an attempt: the job, its account, the conversation and the events, at once. */
export async function settle(tx: Transaction, account: StoredAccount, jobId: number, outcome: Outcome): Promise<void> {
  const job = await getJob(tx, jobId);
  switch (outcome.kind) {
    case 'sent':
      await jobSent(tx, await withContact(tx, job, account.channel));
      return;
    case 'failed':
      await jobFailed(tx, await withContact(tx, job, account.channel), outcome.error);
      return;
    case 'failed-for-now':
      await jobFailedForNow(tx, job, outcome.error);
      return;
    case 'not-yet':
      tx.update(Jobs, { ...postponed(tx, job, outcome.until), queuedFor: outcome.until });
      return;
    case 'wait': {
      const until = timestamp(new Date(Math.ceil(outcome.untilMs / secondMs) * secondMs));
      await startFloodWait(tx, await tx.get(Accounts, { id: account.id }), { ...outcome, until });
      postpone(tx, { ...job, floodWaits: job.floodWaits + 1 }, until);
      return;
    }
    case 'lost':
      setAccountState(tx, await tx.get(Accounts, { id: account.id }), outcome.state);
      postpone(tx, job, patienceEnds(job));
  }
}

/** When a job of an account that is lost gives up (contract section 3: it waits 24 h). */
export const patienceEnds = ({ queuedFor }: StoredJob): string => shifted(queuedFor, dayMs);

/** The account cannot send until a time: the job stays queued in its place. */
export const postpone = (tx: Transaction, job: StoredJob, until: string): StoredJob =>
  tx.update(Jobs, postponed(tx, job, until));

const postponed = (tx: Transaction, job: StoredJob, until: string): StoredJob => ({
  ...job,
  runAt: until,
  updatedAt: tx.now,
  claimedUntil: null,
});

/** The account has been lost for too long. */
export const giveUp = (tx: Transaction, job: StoredJob, state: StoredAccount['state']) =>
  fail(tx, job, `the account was ${state} for 24 hours`);

/** A recipient that was given by id or username may be a known contact: the message belongs to that conversation. */
async function withContact(tx: Transaction, job: StoredJob, channel: StoredAccount['channel']): Promise<StoredJob> {
  const contact = job.contactId === null ? await findContact(tx, channel, job.target) : undefined;
  if (!contact) return job;
  await assignMessage(tx, job, contact);
  return { ...job, contactId: contact.id };
}
