import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '../problem.ts';
import { WriteConflict } from './change.ts';

const giveUpMs = 8_000;

/** Runs the work again while somebody else is faster. Raises 503 when it meets write conflicts for seconds on end. */
export async function untilFirst<Result>(work: () => Promise<Result>): Promise<Result> {
  const deadline = Date.now() + giveUpMs;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof WriteConflict)) throw error;
      if (Date.now() > deadline) throw unavailable(1, error);
      await sleep(Math.random() * Math.min(300, 10 * 2 ** attempt));
    }
  }
}
