import type { StoredJob } from '#lib/entities/job.ts';
import { withoutContact } from '#lib/jobs/queue.ts';
import type { Outcome } from '#lib/jobs/sender.ts';
import { insteadOfStep } from '#lib/sequences/step.ts';
import type { Tenant } from '#lib/tenant.ts';

/**
 * What becomes of a job without an attempt, for who claims it meanwhile, or has claimed it: its contact is erased, or its sequence does not go
 * on with it. Undefined when it may leave.
 */
export async function unwanted(tenant: Tenant, job: StoredJob): Promise<Outcome | undefined> {
  const [erased, instead] = await Promise.all([withoutContact(tenant, job), insteadOfStep(tenant, job)]);
  return erased ?? instead;
}
