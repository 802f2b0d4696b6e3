import type { Tenant } from '#lib/core/tenant.ts';
import type { StoredJob } from '#lib/entities/job.ts';
import { outcomeIfErased } from '#lib/messages/jobs/queue.ts';
import type { Outcome } from '#lib/messages/jobs/sender.ts';
import { outcomeIfOutOfSequence } from '#lib/sequences/step.ts';

/**
 * Returns the outcome of a claimed job that may not be sent, because its contact is erased or its sequence is paused or over; undefined if
 * it may be sent.
 */
export async function outcomeBeforeSending(tenant: Tenant, job: StoredJob): Promise<Outcome | undefined> {
  const [erased, instead] = await Promise.all([outcomeIfErased(tenant, job), outcomeIfOutOfSequence(tenant, job)]);
  return erased ?? instead;
}
