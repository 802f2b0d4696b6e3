import { now } from '#lib/core/clock.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { Deliveries, type StoredDelivery } from '#lib/entities/delivery.ts';
import { Endpoints } from '#lib/entities/webhook.ts';
import { type Health, Healths } from '#lib/entities/webhook-health.ts';
import type { Key } from '#lib/table/keys.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import type { Attempt } from './attempt.ts';
import { instant } from './dispatch.ts';
import { afterAttempt, endpointLeases, isGivenUp, leaseMs, withBreaker } from './health.ts';
import { retryWaitMs } from './schedule.ts';

/** Outcome of a delivery's attempt: made, or failed on our side; neither when its event is no longer kept. */
export interface Result {
  id: number;
  /** Its entry in the index; unknown when another worker began the attempt. */
  entry?: Key | undefined;
  attempt?: Attempt;
  /** Where it was made. If the endpoint has another url by now, the answer does not count for its health. */
  url?: string;
  fault?: string;
}

/** Faults of ours, as the customer reads them. */
export const faults = {
  interrupted: 'the attempt was interrupted on our side; whether it arrived is not known',
  unsendable: 'the attempt failed on our side',
  unrecordable: 'the delivery could not be read or recorded on our side',
} as const;

/** Another process holds the endpoint: the table does not know what this one did since. */
export class LeaseLost extends Error {}

/** Throws LeaseLost. */
export function requireLease(health: Health | undefined, owner: string): asserts health is Health {
  if (!endpointLeases.isHeldBy(health, { owner })) throw new LeaseLost();
}

const goneStatus = 410;

/** Writes of one transaction of a worker. */
export interface AttemptWrites {
  results?: readonly Result[];
  /** Deliveries whose next attempt begins. */
  beginning?: readonly number[];
  /** Deliveries whose attempt was to begin and was not made. */
  released?: readonly number[];
}

/**
 * Writes the results of attempts and what follows from them, which attempts begin, and renews the lease, in one transaction. Returns
 * how the endpoint is after it. Throws LeaseLost.
 */
export async function commitAttempts(
  tenant: Tenant,
  endpointId: number,
  owner: string,
  { results = [], beginning = [], released = [] }: AttemptWrites,
): Promise<{ health: Health; isActive: boolean }> {
  return transact(tenant, system, async (tx) => {
    const [health, endpoint, rows] = await Promise.all([
      tx.find(Healths, { id: endpointId }),
      tx.find(Endpoints, { id: endpointId }),
      tx.findAll(
        Deliveries,
        results.map(({ id }) => ({ endpointId, id })),
      ),
    ]);
    requireLease(health, owner);
    const nowMs = now();
    const ended = new Set([...results.map(({ id }) => id), ...released]);
    const begun = [...health.begun.filter((id) => !ended.has(id)), ...beginning];
    const isHere = ({ url }: Result) => url === endpoint?.url;
    let next: Health = { ...health, ...endpointLeases.renewed(nowMs + leaseMs), begun };
    for (const result of results) {
      const { attempt } = result;
      const row = rows.find(({ id }) => id === result.id);
      if (!row && result.entry) forgetEntry(tx, result.entry);
      if (row && isUnderWay(row)) {
        const after = tx.update(Deliveries, outcome(tx, row, result, nowMs, isHere(result)));
        if (!isUnderWay(after)) next = { ...next, finished: next.finished + 1 };
      }
      if (attempt && isHere(result)) next = afterAttempt(next, attempt.isSuccess, attempt.durationMs, new Date(nowMs));
    }
    const answers = results.flatMap((result) => (isHere(result) ? (result.attempt ?? []) : []));
    if (answers.some(({ isSuccess }) => !isSuccess)) next = withBreaker(next, nowMs);
    const isGone = answers.some(({ responseStatus }) => responseStatus === goneStatus);
    const isActive = endpoint?.isActive === true && !isGone && !isGivenUp(next, nowMs);
    if (endpoint?.isActive && !isActive) tx.update(Endpoints, { ...endpoint, isActive, updatedAt: tx.now });
    return { health: tx.update(Healths, next), isActive };
  });
}

/** Removes an entry whose delivery is gone: it would be found, and sent, forever. */
export function forgetEntry(tx: UnitOfWork, key: Key): void {
  tx.write({ key, item: null });
}

/** Returns whether a delivery is not finished. */
export const isUnderWay = ({ status }: StoredDelivery) => status === 'pending' || status === 'retrying';

function outcome(
  tx: UnitOfWork,
  row: StoredDelivery,
  { attempt, fault }: Result,
  now: number,
  isHere: boolean,
): StoredDelivery {
  if (attempt) return applyAttempt(tx, row, attempt, now, isHere && attempt.responseStatus === goneStatus);
  return fault === undefined
    ? finishWithoutEvent(tx, row)
    : applyAttempt(tx, row, faultAttempt(tx, row, fault), now, false);
}

/** Returns an attempt that failed on our side. It counts for the delivery, and not against the endpoint. */
const faultAttempt = (tx: UnitOfWork, { attemptCount, signed }: StoredDelivery, error: string): RecordedAttempt => ({
  number: attemptCount + 1,
  startedAt: tx.now,
  durationMs: 0,
  responseStatus: null,
  responseHeaders: {},
  responseBody: null,
  error,
  errorClass: null,
  isSuccess: false,
  isTimeout: false,
  retryAfter: undefined,
  signed,
});

type RecordedAttempt = Omit<Attempt, 'signed'> & Pick<StoredDelivery, 'signed'>;

function applyAttempt(
  tx: UnitOfWork,
  row: StoredDelivery,
  attempt: RecordedAttempt,
  now: number,
  isGone: boolean,
): StoredDelivery {
  if (attempt.isSuccess) return finish(tx, withAttempt(row, attempt), 'succeeded');
  const { number: attempts, responseStatus: status } = attempt;
  const waitMs = isGone ? null : retryWaitMs({ ...attempt, attempts, status });
  if (waitMs === null) return finish(tx, withAttempt(row, attempt), 'failed');
  return {
    ...withAttempt(row, attempt),
    status: 'retrying',
    nextAttemptAt: instant(now + waitMs),
    failedAt: instant(now),
  };
}

/** Returns the delivery with one more attempt. */
export function withAttempt(row: StoredDelivery, attempt: RecordedAttempt): StoredDelivery {
  const { responseBody, signed, number, ...told } = attempt;
  const { startedAt, durationMs, responseStatus, error, errorClass } = told;
  const responseHeaders = JSON.stringify(told.responseHeaders);
  return {
    ...row,
    attemptCount: number,
    responseStatus,
    responseBody,
    error,
    durationMs,
    signed,
    attempts: [...row.attempts, { number, startedAt, durationMs, responseStatus, responseHeaders, error, errorClass }],
  };
}

/** Returns the delivery in a final status. */
export const finish = (
  tx: UnitOfWork,
  row: StoredDelivery,
  status: 'succeeded' | 'failed' | 'skipped',
): StoredDelivery => ({ ...row, status, nextAttemptAt: null, completedAt: tx.now });

const finishWithoutEvent = (tx: UnitOfWork, row: StoredDelivery): StoredDelivery => ({
  ...finish(tx, row, 'failed'),
  error: 'the event is no longer kept',
});
