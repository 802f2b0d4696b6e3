import { dayMs, minuteMs, secondMs, shifted, timestamp } from '#lib/core/clock.ts';
import { firstCharacters, oneLine } from '#lib/core/text.ts';
import type { StoredAccount } from '#lib/entities/account.ts';
import type { StoredJob } from '#lib/entities/job.ts';
import { inDoubt } from './outcomes.ts';
import type { Outcome } from './sender.ts';

/** Waits after the first, second, third and fourth failed attempt (contract section 3, "Job life"). */
const retryWaitsMs = [30_000, 120_000, 600_000, 1_800_000] as const;
export const maxAttempts = retryWaitsMs.length + 1;

/** How long to wait after so many failures before this one, where there is no end of attempts: the last wait again and again. */
export const retryWaitMs = (failuresBefore: number): number =>
  retryWaitsMs[Math.min(failuresBefore, retryWaitsMs.length - 1)] as number;

/** Together they take about a day. */
const maxThrottles = 200;
const maxThrottleMs = 10 * minuteMs;

const maxErrorCharacters = 500;

/** When a job of an account that is lost gives up (contract section 3: it waits 24 h), which may have waited for its turn before. */
export const givesUpAt = ({ queuedFor }: StoredJob, { lostAt = queuedFor }: Pick<StoredAccount, 'lostAt'>): string =>
  shifted(lostAt > queuedFor ? lostAt : queuedFor, dayMs);

/**
 * Why a claimed job is not tried again: attempts whose outcome nobody could write. `maxRepeats`: how often a message may leave again
 * because it is unknown whether it has left.
 */
export function abandoned(job: StoredJob, maxRepeats: number): Extract<Outcome, { kind: 'abandoned' }> | undefined {
  const settled = Math.max(0, job.attempts - job.unsettledAttempts);
  const attempts = Math.min(job.maxAttempts, settled + 1 + maxRepeats);
  if (job.attempts <= attempts) return undefined;
  const times = attempts - settled === 1 ? '' : ` ${attempts - settled} times`;
  const error = `the sender was interrupted${times} while sending: ${inDoubt}`;
  return { kind: 'abandoned', attempts, error };
}

/** The job as an attempt leaves it: at its end, or queued for a later time. The claim has counted the attempt. */
export function after(now: string, job: StoredJob, outcome: Outcome): StoredJob {
  // This one is settled; what became of others before it remains unknown.
  const unsettledAttempts = Math.max(0, job.unsettledAttempts - 1);
  const settled = { ...job, updatedAt: now, claimedUntil: null, unsettledAttempts };
  const untried = { ...settled, attempts: job.attempts - 1 };
  switch (outcome.kind) {
    case 'sent':
      return { ...settled, status: 'sent', lastError: null, atPlatform: outcome.atPlatform };
    case 'failed':
      return failed(settled, outcome.error);
    case 'abandoned':
      return failed({ ...settled, attempts: outcome.attempts }, outcome.error);
    case 'canceled':
      return failed(untried, outcome.reason ?? 'canceled');
    case 'failed-for-now': {
      const tried = outcome.mayHaveLeft ? { ...settled, unsettledAttempts: job.unsettledAttempts } : settled;
      const waitMs = retryWaitsMs[job.attempts - 1];
      if (waitMs === undefined) return failed(tried, outcome.error);
      return { ...until(tried, shifted(now, waitMs)), lastError: toErrorText(outcome.error) };
    }
    case 'not-yet':
      return until(untried, outcome.until);
    case 'held':
      return { ...untried, isHeld: true };
    case 'throttled':
    case 'refused': {
      if (job.floodWaits >= maxThrottles) return failed(untried, `${outcome.error} (${maxThrottles} times)`);
      const ceilingMs = Math.min(maxThrottleMs, 2 * secondMs * 2 ** Math.min(job.floodWaits, 20));
      const waitMs = ceilingMs * (0.5 + Math.random() / 2);
      const waiting = { ...until(untried, shifted(now, waitMs)), floodWaits: job.floodWaits + 1 };
      return outcome.kind === 'refused' ? { ...waiting, lastError: toErrorText(outcome.error) } : waiting;
    }
    case 'wait':
      return { ...untried, runAt: endOf(outcome), floodWaits: job.floodWaits + 1 };
    case 'lost':
      return { ...untried, runAt: givesUpAt(job, { lostAt: now }) };
  }
}

/** When an account may send again. */
export const endOf = ({ untilMs }: Extract<Outcome, { kind: 'wait' }>): string =>
  timestamp(new Date(Math.ceil(untilMs / secondMs) * secondMs));

/** The job, due at another time: it gives up its place in the queue. */
export const until = (job: StoredJob, runAt: string): StoredJob => ({ ...job, runAt, queuedFor: runAt });

const failed = (job: StoredJob, error: string): StoredJob => ({
  ...job,
  status: 'failed',
  lastError: toErrorText(error),
});

/** An error as it is kept and shown: what a provider answers may be of any length. */
export const toErrorText = (error: string) => firstCharacters(oneLine(error), maxErrorCharacters);
