import type { Tenant } from '#lib/core/tenant.ts';
import type { StoredJob } from '#lib/entities/job.ts';
import { outcomeIfErased } from '#lib/messages/jobs/queue.ts';
import type { Outcome } from '#lib/messages/jobs/sender.ts';
import { outcomeIfOutOfSequence } from '#lib/sequences/step.ts';

/**
 * What becomes of a job without an attempt, for who claims it meanwhile, or has claimed it: its contact is erased, or its sequence does not go
 * on with it. Undefined when it may leave.
 */
export async function outcomeBeforeSending(tenant: Tenant, job: StoredJob): Promise<Outcome | undefined> {
  const [erased, instead] = await Promise.all([outcomeIfErased(tenant, job), outcomeIfOutOfSequence(tenant, job)]);
  return erased ?? instead;
}
