import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '../problem.ts';
import { WriteConflict } from './change.ts';

/** So long the writes of a call run again at most. */
export const longestConflictMs = 8_000;
/** About what some commits take: whoever comes back sooner meets the same one. */
const firstPauseMs = 100;
/** Many writers of one row get in each other's way until most of them wait for longer than a commit takes. */
const longestPauseMs = 2_000;

/** Runs the work again while somebody else is faster. Raises 503 when it meets write conflicts for so long. */
export async function untilFirst<Result>(
  work: () => Promise<Result>,
  giveUpMs: number = longestConflictMs,
): Promise<Result> {
  const deadline = Date.now() + giveUpMs;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof WriteConflict)) throw error;
      if (Date.now() > deadline) throw unavailable(1, error);
      await sleep(Math.random() * Math.min(longestPauseMs, firstPauseMs * 3 ** attempt));
    }
  }
}
