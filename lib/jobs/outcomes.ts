import type { Exchange } from '#lib/network/provider.ts';
import type { Outcome } from './sender.ts';

/** The account must not send before so many seconds have passed. */
export const waitFor = (seconds: number): Outcome => ({
  kind: 'wait',
  untilMs: Date.now() + seconds * 1000,
  waitSeconds: Math.ceil(seconds),
});

/** An exchange without an answer: what was not written may be tried again; the rest may have arrived, and is not. */
export const unanswered = ({ wasWritten, error }: Extract<Exchange, { error: string }>): Outcome =>
  wasWritten
    ? { kind: 'failed', error: `no answer (${error}): the message may or may not have been delivered` }
    : { kind: 'failed-for-now', error: `no connection (${error})` };
