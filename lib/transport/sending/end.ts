import type { Channel } from '#lib/core/channel.ts';
import { conflict } from '#lib/core/problem.ts';
import type { StoredJob } from '#lib/entities/job.ts';
import { closeJob, getJob, isWaiting, stageOf } from '#lib/messages/jobs/store.ts';
import { stepCompleted } from '#lib/sequences/progress.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** Ends a job that was sent or has failed, and advances its sequence. Emits job.completed, and message.created when it was sent. */
export async function endJob(tx: UnitOfWork, job: StoredJob): Promise<StoredJob> {
  const ended = await closeJob(tx, job);
  await stepCompleted(tx, ended);
  return ended;
}

/** Fails a job that nobody has in hand. Emits job.completed. */
export const fail = (tx: UnitOfWork, job: StoredJob, error: string): Promise<StoredJob> =>
  endJob(tx, { ...job, status: 'failed', lastError: error });

/** Takes a job back before it is sent. Emits job.completed. Raises 404, 409 job_not_queued. */
export async function cancelJob(tx: UnitOfWork, id: number, channel: Channel): Promise<StoredJob> {
  const job = await getJob(tx, id, channel);
  if (!isWaiting(tx, job))
    throw conflict('job_not_queued', `the job is ${stageOf(job)} and cannot be canceled: read it for its result`);
  return fail(tx, job, 'canceled');
}
