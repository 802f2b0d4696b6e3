import type { Platform } from '#lib/channels/channel.ts';
import { type Target, userIdOn } from '#lib/channels/target.ts';
import { hourMs, shifted } from '#lib/clock.ts';
import { Jobs, type StoredJob } from '#lib/entities/job.ts';
import type { AtPlatform } from '#lib/entities/message.ts';
import { after } from '#lib/jobs/after.ts';
import { dueJobs } from '#lib/jobs/queue.ts';
import { isWaiting } from '#lib/jobs/store.ts';
import { entries } from '#lib/table/entries.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { endJob } from './end.ts';
import { followingMessage } from './settle.ts';

/** No attempt is made again later. */
const latestRetryMs = hourMs;
const maxLooked = 100;

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
 * A platform has a message of ours whose sender could not say whether it left: its job is sent. Returns whether there is such a job;
 * else the message is nobody's here. For accounts that this process has in hand.
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
  const found = jobs.find(isIt);
  const job = found && (await tx.get(Jobs, { id: found.id }));
  if (!job || !isWaiting(tx, job)) return false;
  await endJob(tx, await followingMessage.end(tx, after(tx.now, job, { kind: 'sent', atPlatform }), { channel }));
  return true;
}
