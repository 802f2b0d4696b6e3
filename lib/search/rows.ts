import { now, secondMs } from '#lib/core/clock.ts';
import { unavailable } from '#lib/core/problem.ts';
import { type Entity, entityPartition } from '#lib/table/entity.ts';
import { pages } from '#lib/table/pages.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** A search that takes longer is refused (revision 1.4, section 33). */
const longestMs = 20 * secondMs;
const retryAfterSeconds = 30;

export const isArchived = ({ archive }: { archive?: unknown }): boolean => archive !== undefined;

/** Returns a check that raises 503 once a search has taken 20 seconds. */
export function searchTime(): () => void {
  const endsAtMs = now() + longestMs;
  return () => {
    if (now() > endsAtMs) throw unavailable(retryAfterSeconds, new Error('the search read for too long'));
  };
}

/**
 * Shows every row of an entity, newest first, to `look`, until that returns false; rows that cannot be read are left out. Raises 503
 * after 20 seconds.
 */
export async function eachRow(tx: UnitOfWork, of: Entity, look: (row: never) => unknown): Promise<void> {
  const requireTime = searchTime();
  let isOver = false;
  // The unit of work remembers what is wanted of it: a search would fill it with all that it passes.
  const forget = (row: never) => {
    isOver = look(row) === false;
    return false;
  };
  for await (const page of pages({ pk: entityPartition(tx.tenant, of) })) {
    for (const stored of page) {
      tx.rememberIf(of, stored, forget as never, true);
      if (isOver) return;
      requireTime();
    }
  }
}
