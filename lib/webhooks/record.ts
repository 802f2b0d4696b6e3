import { log } from '#lib/core/log.ts';
import { failDelivery, isPoison } from './poison.ts';
import { type AttemptWrites, commitAttempts, faults } from './settle.ts';
import type { Shift } from './shift.ts';

/**
 * Writes what one transaction of a worker has to write. A result that cannot be written for a reason of its own keeps no other from
 * being written: it is recorded as a fault of ours, or its delivery is failed. Throws LeaseLost.
 */
export async function record(
  { tenant, endpointId, owner }: Shift,
  written: AttemptWrites,
): ReturnType<typeof commitAttempts> {
  const write = (what: AttemptWrites) => commitAttempts(tenant, endpointId, owner, what);
  const { results = [], ...others } = written;
  try {
    return await write(written);
  } catch (error) {
    if (results.length === 0 || !isPoison(error)) throw error;
  }
  for (const result of results) {
    const { id, entry } = result;
    await firstOf(
      () => write({ results: [result] }),
      () => write({ results: [{ id, entry, fault: faults.unrecordable }] }),
      (error) => failDelivery(tenant, endpointId, owner, result, error),
    );
  }
  return write(others);
}

/** Tries one after the other until one is not refused for what it holds. */
async function firstOf(...ways: ((error?: unknown) => Promise<unknown>)[]): Promise<void> {
  let refusal: unknown;
  for (const [index, way] of ways.entries()) {
    try {
      await way(refusal);
      return;
    } catch (error) {
      if (index === ways.length - 1 || !isPoison(error)) throw error;
      refusal = error;
      log().error('the outcome of an attempt could not be recorded', error as Error);
    }
  }
}
