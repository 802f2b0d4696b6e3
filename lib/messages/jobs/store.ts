import type { Channel } from '#lib/core/channel.ts';
import type { Target } from '#lib/core/channel-target.ts';
import { conflict, notFound } from '#lib/core/problem.ts';
import { firstCharacters } from '#lib/core/text.ts';
import { claims, Jobs, type StoredJob } from '#lib/entities/job.ts';
import { type AtPlatform, Messages } from '#lib/entities/message.ts';
import { presentId } from '#lib/entities/references/merged.ts';
import { idText } from '#lib/events/changes.ts';
import { countQueued, countSent } from '#lib/messages/accounts/store.ts';
import { settleMail } from '#lib/messages/jobs/mail.ts';
import { settleMessage, storeMessage } from '#lib/messages/store.ts';
import { giveBack } from '#lib/table/quota.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { maxAttempts } from './after.ts';

export const previewLength = 140;

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
  /** The sequence is paused: the job waits, queued, for `resumeJob`. */
  isPaused?: boolean;
  threadId?: string | null;
  attachments?: Parameters<typeof storeMessage>[1]['attachments'];
  entities?: StoredJob['entities'];
  buttons?: StoredJob['buttons'];
  /** The message that it answers. */
  repliesTo?: { id: number; atPlatform: AtPlatform };
}

/** Returns the origin of a job that a call asks for: a key, or a member in the panel. */
export const originOf = ({ actor }: Pick<UnitOfWork, 'actor'>) =>
  actor.type === 'api_key'
    ? ({ source: 'api', apiKeyId: actor.id } as const)
    : ({ source: 'panel', apiKeyId: null } as const);

/** Returns when a job leaves that is wanted at a time: null and the past mean now. */
export const startOf = (tx: UnitOfWork, runAt: string | null | undefined): string =>
  runAt && runAt > tx.now ? runAt : tx.now;

/** Queues a message and shows it, queued, in the conversation. Emits nothing. Ids come from the counters `job` and `message`. */
export async function createJob(tx: UnitOfWork, input: NewJob): Promise<StoredJob> {
  const { channel, accountId, text } = input;
  const [contactId] = await Promise.all([
    presentId(tx, input.contactId),
    tx.reserveIds({ [Jobs.name]: 1, [Messages.name]: 1 }),
  ]);
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
    entities: input.entities ?? [],
    replyToMessageId: input.repliesTo?.id ?? null,
    data: input.buttons ? { buttons: input.buttons } : null,
  });
  const runAt = startOf(tx, input.runAt);
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
    textPreview: firstCharacters(text, previewLength),
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
    isHeld: input.isPaused ?? false,
    queuedFor: runAt,
    floodWaits: 0,
    claimedUntil: null,
    unsettledAttempts: 0,
    attachmentCount: input.attachments?.length ?? 0,
    confirmedFiles: 0,
    platformFiles: [],
    entities: input.entities,
    buttons: input.buttons,
    repliesTo: input.repliesTo?.atPlatform.messageId,
  });
}

/** The job, of one channel when that is given. Raises 404. */
export async function getJob(tx: UnitOfWork, id: number, channel?: Channel): Promise<StoredJob> {
  const job = await tx.get(Jobs, { id }, () => notFound('job'));
  if (channel !== undefined && job.channel !== channel) throw notFound('job');
  return job;
}

/** Queued and not in a sender's hands. */
export const isWaiting = (tx: UnitOfWork, job: StoredJob): boolean =>
  job.status === 'queued' && claims.isFree(job, Date.parse(tx.now));

/** Returns in a word where a job is that cannot be taken back or changed. */
export const stageOf = ({ status }: StoredJob): string => (status === 'queued' ? 'being sent' : status);

/** Queues a failed job again: a canceled one for its own time, where that is ahead, any other at once. Raises 404, 409 job_not_failed. */
export async function retryJob(tx: UnitOfWork, id: number, channel: Channel): Promise<StoredJob> {
  const job = await getJob(tx, id, channel);
  if (job.status !== 'failed')
    throw conflict(
      'job_not_failed',
      `the job is ${job.status}, and only a failed one can be retried: read it for its result`,
    );
  await settleMessage(tx, job, 'queued');
  countQueued(tx, job, 1);
  const runAt = job.lastError === 'canceled' && job.runAt > tx.now ? job.runAt : tx.now;
  return tx.update(Jobs, {
    ...job,
    status: 'queued',
    isHeld: false,
    runAt,
    queuedFor: runAt,
    updatedAt: tx.now,
    lastError: null,
    attempts: 0,
    floodWaits: 0,
    completedAt: null,
    claimedUntil: null,
    unsettledAttempts: 0,
    // It is no step any more: its enrollment has ended.
    enrollmentId: null,
  });
}

/** Pauses an unsent job with its sequence; one that is being sent goes on. */
export const pauseJob = (tx: UnitOfWork, job: StoredJob): StoredJob =>
  isWaiting(tx, job) ? tx.update(Jobs, { ...job, isHeld: true, updatedAt: tx.now }) : job;

/** Lets a paused job go on at a time. A mail that moves to another day is paid for again when it leaves. */
export function resumeJob(tx: UnitOfWork, job: StoredJob, runAt: string): StoredJob {
  if (!job.isHeld || job.status !== 'queued') return job;
  const isMoved = job.channel === 'email' && runAt.slice(0, 10) !== job.runAt.slice(0, 10);
  return tx.update(Jobs, {
    ...(isMoved ? unpaid(tx, job) : job),
    isHeld: false,
    runAt,
    queuedFor: runAt,
    updatedAt: tx.now,
  });
}

/** The mail will not leave on the day that has paid for it, which gets it back. */
function unpaid(tx: UnitOfWork, { paid, ...job }: StoredJob): StoredJob {
  if (paid) giveBack(tx, 'emails', paid);
  return { ...job, isUnpaid: true };
}

/** Writes a job that was sent or has failed, with its message. Emits job.completed, and message.created when it was sent. */
export async function closeJob(tx: UnitOfWork, job: StoredJob): Promise<StoredJob> {
  await settleConversation(tx, job);
  return recordEnd(tx, job);
}

/** The message of an ended job in the conversation, and the mail in its thread. */
export async function settleConversation(tx: UnitOfWork, job: StoredJob): Promise<void> {
  await settleMessage(tx, job, job.status);
  if (job.channel === 'email') await settleMail(tx, job);
}

/** The end of a job alone, which always fits the table. A mail that has surely not left costs nothing. Emits job.completed. */
export function recordEnd(tx: UnitOfWork, job: StoredJob): StoredJob {
  const { status } = job;
  countQueued(tx, job, -1);
  if (status === 'sent' && job.accountId !== null) countSent(tx, job.accountId);
  const isUnspent = job.channel === 'email' && status === 'failed' && job.unsettledAttempts === 0;
  const ended = tx.update(Jobs, {
    ...(isUnspent ? unpaid(tx, job) : job),
    isHeld: false,
    completedAt: tx.now,
    updatedAt: tx.now,
    claimedUntil: null,
  });
  emitCompleted(tx, ended);
  return ended;
}

/** Tells that a job has become sent or failed. */
export function emitCompleted(tx: UnitOfWork, job: StoredJob): void {
  const { status } = job;
  if (status === 'queued') throw new Error('a queued job has not ended');
  tx.emit({
    kind: 'job.completed',
    subject: `job/${job.id}`,
    data: {
      job_id: String(job.id),
      channel: job.channel,
      account_id: idText(job.accountId),
      contact_id: idText(job.contactId),
      status,
      error: job.lastError,
      run_at: job.runAt,
      completed_at: job.completedAt ?? tx.now,
      attempts: job.attempts,
    },
  });
}
