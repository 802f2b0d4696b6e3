import { now, timestamp } from '#lib/core/clock.ts';
import type { StoredJob } from '#lib/entities/job.ts';
import type { Exchange } from '#lib/network/provider.ts';
import type { Outcome } from './sender.ts';

/** Ten years: a wait that a provider asks for is never shortened, but a time must hold it. */
export const maxWaitSeconds = 10 * 365 * 24 * 60 * 60;

/** The account must not send before so many seconds have passed, one at least. */
export function waitFor(seconds: number): Outcome {
  const waitSeconds = Math.min(Math.max(seconds, 1), maxWaitSeconds);
  return { kind: 'wait', untilMs: now() + waitSeconds * 1000, waitSeconds: Math.ceil(waitSeconds) };
}

/** The account is another by now: it is read again before this is tried. */
export const notYet = (): Outcome => ({ kind: 'not-yet', until: timestamp() });

const maxLeastWaitSeconds = 10 * 60;

/**
 * A job that was told to wait waits twice as long at least the next time, up to ten minutes: no wait is an attempt, so a provider that
 * always says "one second" would be asked, and its waits be told in events, for ever at that pace.
 */
export function lengthen(outcome: Outcome, { floodWaits }: Pick<StoredJob, 'floodWaits'>): Outcome {
  const leastSeconds = Math.min(2 ** floodWaits, maxLeastWaitSeconds);
  return outcome.kind === 'wait' && outcome.waitSeconds < leastSeconds ? waitFor(leastSeconds) : outcome;
}

/** Why an attempt is not repeated whose outcome nobody knows; so the error of its job ends. */
export const inDoubt = 'the message may or may not have been delivered';

/** An exchange without an answer: what was not written may be tried again; the rest may have arrived, and is not. */
export const unanswered = ({ wasWritten, error }: Extract<Exchange, { error: string }>): Outcome =>
  wasWritten
    ? { kind: 'failed', error: `no answer (${error}): ${inDoubt}` }
    : { kind: 'failed-for-now', error: `no connection (${error})` };

/** Returns the outcome of a job whose recipient or holds could not be read, so that nothing was sent. */
export const notLookedUp = (error: Error): Outcome => ({
  kind: 'failed-for-now',
  error: `whether it may be sent could not be looked up (${error.name})`,
});
