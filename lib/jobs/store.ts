import { countQueued, countSent } from '#lib/accounts/store.ts';
import { shifted } from '#lib/clock.ts';
import { Messages } from '#lib/messages/message.ts';
import { settleMessage, storeMessage } from '#lib/messages/store.ts';
import { conflict, notFound } from '#lib/problem.ts';
import { stepCompleted } from '#lib/sequences/progress.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { type Channel, Jobs, type StoredJob, type Target } from './job.ts';

/** Waits after the first, second, third and fourth failed attempt (contract section 3, "Job life"). */
const retryWaitsMs = [30_000, 120_000, 600_000, 1_800_000] as const;
const maxAttempts = retryWaitsMs.length + 1;
const previewLength = 140;

export interface NewJob {
  channel: Channel;
  /** Null for e-mail. */
  accountId: number | null;
  contactId: number | null;
  /** Shown to humans: `@anna`, `anna@example.com`. */
  recipient: string;
  target?: Target;
  /** The text as the conversation shows it. */
  text: string;
  /** Null or past: at once. */
  runAt?: string | null | undefined;
  source: StoredJob['source'];
  apiKeyId?: string | null;
  sequenceId?: number | null;
  enrollmentId?: number | null;
  /** The sequence is paused: it waits, queued, for `releaseJob`. */
  isHeld?: boolean;
  threadId?: string | null;
  attachments?: Parameters<typeof storeMessage>[1]['attachments'];
}

/** Queues a message and shows it, queued, in the conversation. Emits nothing. Ids come from the counters `job` and `message`. */
export async function createJob(tx: Transaction, input: NewJob): Promise<StoredJob> {
  await tx.reserveIds({ [Jobs.name]: 1, [Messages.name]: 1 });
  const { channel, accountId, contactId, text } = input;
  const id = await tx.nextId(Jobs);
  const message = await storeMessage(tx, {
    contactId,
    channel,
    direction: 'outbound',
    status: 'queued',
    body: text,
    accountId,
    jobId: id,
    threadId: input.threadId ?? null,
    attachments: input.attachments ?? [],
  });
  const runAt = input.runAt && input.runAt > tx.now ? input.runAt : tx.now;
  countQueued(tx, { channel, accountId }, 1);
  return tx.create(Jobs, {
    id,
    accountId,
    status: 'queued',
    runAt,
    createdAt: tx.now,
    updatedAt: null,
    lastError: null,
    channel,
    contactId,
    recipient: input.recipient,
    textPreview: [...text].slice(0, previewLength).join(''),
    attempts: 0,
    maxAttempts,
    source: input.source,
    sequenceId: input.sequenceId ?? null,
    apiKeyId: input.apiKeyId ?? null,
    completedAt: null,
    target: input.target ?? {},
    text: channel === 'email' ? null : text,
    messageId: message.id,
    enrollmentId: input.enrollmentId ?? null,
    isHeld: input.isHeld ?? false,
    queuedFor: runAt,
    floodWaits: 0,
    claimedUntil: null,
  });
}

/** The job, of one channel when that is given. Raises 404. */
export async function getJob(tx: Transaction, id: number, channel?: Channel): Promise<StoredJob> {
  const job = await tx.get(Jobs, { id }, () => notFound('job'));
  if (channel !== undefined && job.channel !== channel) throw notFound('job');
  return job;
}

/** Queued and not in a sender's hands. */
export const isWaiting = (tx: Transaction, job: StoredJob): boolean =>
  job.status === 'queued' && (job.claimedUntil === null || job.claimedUntil <= tx.now);

/** Takes a job back before it is sent. Emits job.completed. Raises 404, 409 job_not_queued. */
export async function cancelJob(tx: Transaction, id: number, channel: Channel): Promise<StoredJob> {
  const job = await getJob(tx, id, channel);
  if (!isWaiting(tx, job)) throw conflict('job_not_queued', 'only a queued job that is not being sent can be canceled');
  return fail(tx, job, 'canceled');
}

/** Queues a failed job again, at once. Raises 404, 409 job_not_failed. */
export async function retryJob(tx: Transaction, id: number, channel: Channel): Promise<StoredJob> {
  const job = await getJob(tx, id, channel);
  if (job.status !== 'failed') throw conflict('job_not_failed', 'only a failed job can be retried');
  await settleMessage(tx, job, 'queued');
  countQueued(tx, job, 1);
  return tx.update(Jobs, {
    ...job,
    status: 'queued',
    runAt: tx.now,
    queuedFor: tx.now,
    updatedAt: tx.now,
    lastError: null,
    attempts: 0,
    floodWaits: 0,
    completedAt: null,
    claimedUntil: null,
  });
}

/** Keeps an unsent job back while its sequence is paused; one that is being sent goes on. */
export const holdJob = (tx: Transaction, job: StoredJob): StoredJob =>
  isWaiting(tx, job) ? tx.update(Jobs, { ...job, isHeld: true, updatedAt: tx.now }) : job;

/** Lets a held job go on at a time. */
export const releaseJob = (tx: Transaction, job: StoredJob, runAt: string): StoredJob =>
  job.isHeld && job.status === 'queued'
    ? tx.update(Jobs, { ...job, isHeld: false, runAt, queuedFor: runAt, updatedAt: tx.now })
    : job;

/** The message left. Emits job.completed and message.created. */
export async function jobSent(tx: Transaction, job: StoredJob): Promise<StoredJob> {
  await settleMessage(tx, job, 'sent');
  if (job.accountId !== null) countSent(tx, job.accountId);
  return complete(tx, { ...job, status: 'sent', lastError: null, attempts: job.attempts + 1 });
}

/** An attempt failed for good. Emits job.completed. */
export const jobFailed = (tx: Transaction, job: StoredJob, error: string): Promise<StoredJob> =>
  fail(tx, { ...job, attempts: job.attempts + 1 }, error);

/** An attempt failed for a reason that may pass: tried again after a wait, at most five times in all. */
export async function jobFailedForNow(tx: Transaction, job: StoredJob, error: string): Promise<StoredJob> {
  const waitMs = retryWaitsMs[job.attempts];
  if (waitMs === undefined) return jobFailed(tx, job, error);
  const runAt = shifted(tx.now, waitMs);
  return tx.update(Jobs, {
    ...job,
    runAt,
    queuedFor: runAt,
    updatedAt: tx.now,
    lastError: error,
    attempts: job.attempts + 1,
    claimedUntil: null,
  });
}

/** Fails a job without an attempt. Emits job.completed. */
export async function fail(tx: Transaction, job: StoredJob, error: string): Promise<StoredJob> {
  await settleMessage(tx, job, 'failed');
  return complete(tx, { ...job, status: 'failed', lastError: error });
}

async function complete(tx: Transaction, job: StoredJob): Promise<StoredJob> {
  countQueued(tx, job, -1);
  const completed = tx.update(Jobs, { ...job, completedAt: tx.now, updatedAt: tx.now, claimedUntil: null });
  tx.emit({
    kind: 'job.completed',
    subject: `job/${job.id}`,
    data: {
      job_id: String(job.id),
      channel: job.channel,
      account_id: job.accountId === null ? null : String(job.accountId),
      contact_id: job.contactId === null ? null : String(job.contactId),
      status: job.status,
      error: job.lastError,
      run_at: job.runAt,
      completed_at: completed.completedAt,
      attempts: job.attempts,
    },
  });
  await stepCompleted(tx, completed);
  return completed;
}
