import { type Transaction, transact } from '#lib/table/transaction.ts';
import { system, type Tenant } from '#lib/tenant.ts';
import type { Attempt } from './attempt.ts';
import { Deliveries, type DueDelivery, type StoredDelivery } from './delivery.ts';
import { Endpoints } from './endpoint.ts';
import { afterAttempt, type Health, Healths, isGivenUp, withBreaker } from './health.ts';
import { leaseMs } from './lease.ts';
import { retryWaitMs } from './schedule.ts';
import { instant } from './wake.ts';

/** What became of a delivery: an attempt, or none because its event is no longer kept. */
export interface Result {
  delivery: DueDelivery;
  attempt: Attempt | undefined;
}

/** Another process has taken the endpoint over: what this one did since is not known to the table. */
export class LeaseLost extends Error {}

const goneStatus = 410;

/**
 * Writes the results of attempts and what follows from them, all in one transaction, and renews the lease. Returns how the
 * endpoint is after it. Throws LeaseLost.
 */
export function settle(
  tenant: Tenant,
  endpointId: number,
  owner: string,
  results: readonly Result[],
): Promise<{ health: Health; isActive: boolean }> {
  return transact(tenant, system, async (tx) => {
    const [health, endpoint, rows] = await Promise.all([
      tx.find(Healths, { id: endpointId }),
      tx.find(Endpoints, { id: endpointId }),
      tx.findAll(
        Deliveries,
        results.map(({ delivery }) => ({ endpointId, id: delivery.id })),
      ),
    ]);
    if (health?.owner !== owner) throw new LeaseLost();
    const now = Date.now();
    let next: Health = { ...health, leaseUntilMs: now + leaseMs };
    for (const { delivery, attempt } of results) {
      const row = rows.find(({ id }) => id === delivery.id);
      if (row && isUnderWay(row))
        tx.update(Deliveries, attempt ? attempted(tx, row, attempt, now) : forgotten(tx, row));
      if (attempt) next = afterAttempt(next, attempt.isSuccess, attempt.durationMs, new Date(now));
    }
    if (results.some(({ attempt }) => attempt && !attempt.isSuccess)) next = withBreaker(next, now);
    const isGone = results.some(({ attempt }) => attempt?.responseStatus === goneStatus);
    const isActive = endpoint?.isActive === true && !isGone && !isGivenUp(next, now);
    if (endpoint?.isActive && !isActive) tx.update(Endpoints, { ...endpoint, isActive, updatedAt: tx.now });
    return { health: tx.update(Healths, next), isActive };
  });
}

const isUnderWay = ({ status }: StoredDelivery) => status === 'pending' || status === 'retrying';

function attempted(tx: Transaction, row: StoredDelivery, attempt: Attempt, now: number): StoredDelivery {
  if (attempt.isSuccess) return finished(tx, recorded(row, attempt), 'succeeded');
  const { number: attempts, responseStatus: status } = attempt;
  const waitMs = status === goneStatus ? null : retryWaitMs({ ...attempt, attempts, status });
  if (waitMs === null) return finished(tx, recorded(row, attempt), 'failed');
  return { ...recorded(row, attempt), status: 'retrying', nextAttemptAt: instant(now + waitMs) };
}

/** The delivery with one more attempt. */
export function recorded(row: StoredDelivery, attempt: Attempt): StoredDelivery {
  const { number, startedAt, durationMs, responseStatus, responseBody, error, signed } = attempt;
  return {
    ...row,
    attemptCount: number,
    responseStatus,
    responseBody,
    error,
    durationMs,
    signed,
    attempts: [...row.attempts, { number, startedAt, durationMs, responseStatus, error }],
  };
}

/** The delivery in a status from which nothing more becomes of it. */
export const finished = (
  tx: Transaction,
  row: StoredDelivery,
  status: 'succeeded' | 'failed' | 'skipped',
): StoredDelivery => ({ ...row, status, nextAttemptAt: null, completedAt: tx.now });

const forgotten = (tx: Transaction, row: StoredDelivery): StoredDelivery => ({
  ...finished(tx, row, 'failed'),
  error: 'the event is no longer kept',
});
