import type { Exchange } from '#lib/network/provider.ts';
import type { Outcome } from './sender.ts';

/** No provider means a longer wait than that. */
export const maxWaitSeconds = 7 * 24 * 60 * 60;

/** The account must not send before so many seconds have passed. */
export function waitFor(seconds: number): Outcome {
  const waitSeconds = Math.min(seconds, maxWaitSeconds);
  return { kind: 'wait', untilMs: Date.now() + waitSeconds * 1000, waitSeconds: Math.ceil(waitSeconds) };
}

/** An exchange without an answer: what was not written may be tried again; the rest may have arrived, and is not. */
export const unanswered = ({ wasWritten, error }: Extract<Exchange, { error: string }>): Outcome =>
  wasWritten
    ? { kind: 'failed', error: `no answer (${error}): the message may or may not have been delivered` }
    : { kind: 'failed-for-now', error: `no connection (${error})` };

/** Who is meant could not be read, so nothing was sent. */
export const notLookedUp = (error: Error): Outcome => ({
  kind: 'failed-for-now',
  error: `the recipient could not be looked up (${error.name})`,
});
