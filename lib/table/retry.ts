import { now, sleep } from '#lib/core/clock.ts';
import { unavailable } from '#lib/core/problem.ts';
import { WriteConflict } from './change.ts';

/** So long the writes of a call run again at most. */
const longestConflictMs = 8_000;
/** About what some commits take: whoever comes back sooner meets the same one. */
const firstPauseMs = 100;
/** Many writers of one row get in each other's way until most of them wait for longer than a commit takes. */
const longestPauseMs = 2_000;

/** Returns a check that is true for the given time. */
export function within(ms: number): () => Promise<boolean> {
  const deadline = now() + ms;
  return async () => now() <= deadline;
}

/** Runs the work again while somebody else is faster. Raises 503 when it meets write conflicts for longer than it may go on. */
export async function untilFirst<Result>(
  work: () => Promise<Result>,
  mayGoOn = within(longestConflictMs),
): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof WriteConflict)) throw error;
      if (!(await mayGoOn())) throw unavailable(1, error);
      await sleep(Math.random() * Math.min(longestPauseMs, firstPauseMs * 3 ** attempt));
    }
  }
}
