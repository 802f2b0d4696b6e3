import { Jobs, type StoredJob } from '#lib/entities/job.ts';
import { fail } from '#lib/sending/end.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import type { Count } from './part.ts';

/** Takes a job away, canceled where it was still to be sent: who has it in hand finds nothing to write down. */
export async function eraseJob(tx: UnitOfWork, job: StoredJob, count: Count): Promise<void> {
  if (job.status === 'queued') await fail(tx, job, 'canceled');
  tx.delete(Jobs, job);
  count('jobs');
}
