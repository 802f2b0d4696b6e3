import type { Platform } from '#lib/core/channel.ts';
import { type Target, userIdOn } from '#lib/core/channel-target.ts';
import { dayMs, hourMs, shifted } from '#lib/core/clock.ts';
import { Jobs, type StoredJob } from '#lib/entities/job.ts';
import type { AtPlatform } from '#lib/entities/message.ts';
import { countSent } from '#lib/messages/accounts/store.ts';
import { after } from '#lib/messages/jobs/after.ts';
import { listJobs } from '#lib/messages/jobs/list.ts';
import { inDoubt } from '#lib/messages/jobs/outcomes.ts';
import { dueJobs } from '#lib/messages/jobs/queue.ts';
import { isWaiting, settleConversation } from '#lib/messages/jobs/store.ts';
import { entries } from '#lib/table/entries.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { endJob } from './end.ts';
import { messageCompletion } from './settle.ts';

/** No attempt is made again later. */
const latestRetryMs = hourMs;
const maxLooked = 100;
/** A platform tells of its messages sooner. */
const doubtMs = dayMs;

/**
 * Whether an account has a file at somebody by a job, ended or not: one that does not know whether it has left learns that from its
 * next attempt.
 */
export async function hasSentFile(tx: UnitOfWork, accountId: number, userId: number, fileId: string): Promise<boolean> {
  const found = await entries(tx, Jobs, { file: { accountId, userId, fileId } }, { limit: 1 }).next();
  return (found.value?.length ?? 0) > 0;
}

interface Seen {
  channel: Platform;
  accountId: number;
  to: Target;
  text: string;
  atPlatform: AtPlatform;
}

/**
 * A platform has a message of ours whose sender could not say whether it left: its job is sent, also one that has failed for that. Returns
 * whether there is such a job; else the message is nobody's here. For accounts that this process has in hand.
 */
export async function settleSeen(tx: UnitOfWork, seen: Seen): Promise<boolean> {
  const { channel, accountId, to, text, atPlatform } = seen;
  const userId = userIdOn(channel, to);
  const username = to.username?.toLowerCase();
  const isIt = ({ attempts, attachmentCount, target, text: given }: StoredJob) =>
    attempts > 0 &&
    attachmentCount === 0 &&
    given?.trim() === text.trim() &&
    (userIdOn(channel, target) === userId || (username !== undefined && target.username?.toLowerCase() === username));
  const jobs = await dueJobs(tx.tenant, accountId, shifted(tx.now, latestRetryMs), maxLooked);
  const waiting = jobs.find(isIt);
  const found = waiting ?? (await failedInDoubt(tx, accountId)).find(isIt);
  const job = found && (await tx.get(Jobs, { id: found.id }));
  if (!job || (waiting && !isWaiting(tx, job))) return false;
  const sent = await messageCompletion.end(tx, after(tx.now, job, { kind: 'sent', atPlatform }), { channel });
  if (waiting) await endJob(tx, sent);
  else {
    // It has ended before: its end is neither counted nor announced again.
    tx.update(Jobs, sent);
    countSent(tx, accountId);
    await settleConversation(tx, sent);
  }
  return true;
}

/** The latest of an account that may have been delivered all the same. */
async function failedInDoubt(tx: UnitOfWork, accountId: number): Promise<StoredJob[]> {
  const { items } = await listJobs(tx, { accountId, status: 'failed', limit: maxLooked });
  const since = shifted(tx.now, -doubtMs);
  return items.filter(({ lastError, updatedAt }) => lastError?.endsWith(inDoubt) && (updatedAt ?? '') > since);
}
