import { timestamp } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { claims, Jobs, type StoredJob } from '#lib/entities/job.ts';
import { isThere } from '#lib/entities/references/merged.ts';
import { isPermanent } from '#lib/table/dead-letter.ts';
import { entries } from '#lib/table/entries.ts';
import type { Key } from '#lib/table/keys.ts';
import { parseStored } from '#lib/table/stored.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { updateOf } from '#lib/table/write.ts';
import { notLookedUp } from './outcomes.ts';
import type { Outcome } from './sender.ts';
import { isWaiting } from './store.ts';

/** The first jobs of an account's queue that are due by a time and in nobody's hands, in the order in which they are to be sent. */
export async function dueJobs(tenant: Tenant, accountId: number, by: string, limit: number): Promise<StoredJob[]> {
  const jobs: StoredJob[] = [];
  const queue = new UnitOfWork(tenant, system);
  for await (const page of entries(queue, Jobs, { queue: accountId }, { below: `${by}~`, ascending: true, limit })) {
    const tx = new UnitOfWork(tenant, system);
    const queued = await readJobs(
      tx,
      page.map((entry) => entry.of),
    );
    jobs.push(...queued.filter((job) => isWaiting(tx, job)));
    if (jobs.length >= limit) break;
  }
  return jobs.slice(0, limit);
}

/** The jobs with these keys; one that cannot be read holds up none of the others of its account. */
async function readJobs(tx: UnitOfWork, keys: readonly Key[]): Promise<StoredJob[]> {
  try {
    return await tx.findAllByKey(Jobs, keys);
  } catch (error) {
    if (!isPermanent(error)) throw error;
    if (keys.length > 1) return (await Promise.all(keys.map((key) => readJobs(tx, [key])))).flat();
    log().error('a queued job cannot be read', { jobs: keys });
    return [];
  }
}

/**
 * Takes a due job in hand until a time, and counts the attempt: it can no longer be canceled. One conditional write; undefined when
 * the job is not (or no longer) queued and due, or another sender has it.
 */
export async function claimJob(tenant: Tenant, id: number, untilMs: number): Promise<StoredJob | undefined> {
  const now = timestamp();
  const { item } = await claims.acquire(untilMs, (holder) =>
    updateOf(
      tenant,
      Jobs,
      { id },
      {
        set: holder,
        add: { attempts: 1, unsettledAttempts: 1 },
        if: {
          is: { status: 'queued', isHeld: false },
          atMost: { queuedFor: now },
          ...claims.whereFree(Date.parse(now)),
        },
      },
    ),
  );
  return item && parseStored(Jobs, item);
}

/**
 * Returns the outcome `canceled` for a job whose contact is erased or archived, and undefined if it, or the contact it was merged into,
 * is there. Nothing leaves after an erasure was accepted (contract section 26).
 */
export const outcomeIfErased = (tenant: Tenant, { contactId }: StoredJob): Promise<Outcome | undefined> =>
  contactId === null
    ? Promise.resolve(undefined)
    : isThere(tenant, contactId).then((is) => (is ? undefined : { kind: 'canceled' }), notLookedUp);
