import { currentWindow } from '#lib/auth/identify-key.ts';
import { epochSeconds } from '#lib/core/clock.ts';
import { rateLimited } from '#lib/core/problem.ts';
import { clientNetwork } from '#lib/network/addresses.ts';
import { progressOf, type RequestStep } from './progress.ts';

/** A page is a dozen of them, most of which a browser keeps. */
const filesPerMinute = 600;

/**
 * Counts the files of pages that a client asks for, which anybody may: 600 a minute, as far as this process knows. What costs next to
 * nothing is not counted in the table, where it would cost more; a client who asks for many meets the same process again.
 */
export function countingFiles(): RequestStep {
  const asked = new Map<string, number>();
  /** Unix seconds of the minute that is counted. */
  let window = 0;
  return {
    before: ({ context }) => {
      const now = currentWindow();
      if (window !== now) asked.clear();
      window = now;
      const client = clientNetwork(progressOf(context).facts.ip);
      const count = (asked.get(client) ?? 0) + 1;
      asked.set(client, count);
      if (count <= filesPerMinute) return;
      throw rateLimited(
        'too many files of pages were requested in this minute: wait for Retry-After',
        Math.max(1, window + 60 - epochSeconds()),
      );
    },
  };
}
