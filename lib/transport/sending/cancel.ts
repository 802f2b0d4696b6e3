import { secondMs } from '#lib/core/clock.ts';
import type { Environment, Tenant } from '#lib/core/tenant.ts';
import { longestCallSeconds } from '#lib/core/timeouts.ts';
import { Jobs } from '#lib/entities/job.ts';
import { isWaiting } from '#lib/messages/jobs/store.ts';
import { countEntries } from '#lib/table/entries.ts';
import { listPage, stepThrough } from '#lib/table/list.ts';
import { newMeter } from '#lib/table/pages.ts';
import type { SagaKind } from '#lib/table/saga.ts';
import { startSaga, transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { fail } from './end.ts';

/** Returns the filter for the queued jobs of a key. */
const queuedBy = (keyId: string) => ({ key: keyId, status: 'queued' }) as const;

/** `isLast`: the second time through. */
type State = { keyId: string; env: Environment; after: number | null; isLast?: boolean };

/** By then every call has ended that the key let in before it was revoked. */
const lastCallsMs = (longestCallSeconds + 5) * secondMs;

/**
 * Takes back what a key has queued, newest first, but for what is being sent; and once more what calls that were under way have queued
 * meanwhile. Each job emits job.completed.
 */
export const cancelQueued: SagaKind<State, 'key-cancel'> = {
  name: 'key-cancel',
  waitMs: ({ after, isLast }) => (isLast && after === null ? lastCallsMs : 0),
  step(tx, state) {
    // The key may be of the other environment than the one that revokes it.
    return transact({ ...tx.tenant, env: state.env }, tx.actor, (jobs) => {
      jobs.isForOneRow = tx.isForOneRow;
      return cancelSome(jobs, state);
    });
  },
};

async function cancelSome(tx: UnitOfWork, { after, ...state }: State): Promise<State | undefined> {
  const left = await stepThrough(tx, Jobs, { after, limit: 25, where: queuedBy(state.keyId) }, async (job) => {
    if (isWaiting(tx, job)) await fail(tx, job, 'canceled');
  });
  if (left) return { ...state, ...left };
  return state.isLast === false ? { ...state, after: null, isLast: true } : undefined;
}

/**
 * Takes back, with the rest of the transaction, every job that a key has queued and that is not being sent; many of them, and what calls that are
 * under way queue yet, in the background. Returns how many.
 */
export async function cancelQueuedJobs(
  tx: UnitOfWork,
  { keyId, env }: { keyId: string; env: Environment },
): Promise<number> {
  const count = await countWaiting({ ...tx.tenant, env }, tx, keyId);
  startSaga(tx, cancelQueued, { keyId, env, after: null, isLast: false });
  return count;
}

const pageSize = 500;
/** Limit for checking jobs one by one. Above it, the few that are being sent count too. */
const exactly = 4 * pageSize;

async function countWaiting(tenant: Tenant, { actor }: UnitOfWork, keyId: string): Promise<number> {
  const tx = new UnitOfWork(tenant, actor);
  const where = queuedBy(keyId);
  let count = 0;
  let after: number | undefined;
  for (let read = 0; read < exactly; read += pageSize) {
    const { items, nextCursor } = await listPage(tx, Jobs, { after, limit: pageSize, where });
    count += items.filter((job) => isWaiting(tx, job)).length;
    if (nextCursor === null) return count;
    after = nextCursor;
  }
  // A key is revoked however many there are: of those that one call may not count, none counts.
  return count + (await countEntries(tx, Jobs, where, after, newMeter()));
}
