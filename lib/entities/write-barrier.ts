import * as v from 'valibot';
import { entity } from '#lib/table/entity.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** The last time that something was added of which an environment has a limited number. */
export const WriteBarriers = entity({
  name: 'write-barrier',
  schema: v.object({ resource: v.string(), at: v.string() }),
  sortKey: ({ resource }) => resource,
});

/**
 * Serializes the transactions that add to a resource: call it before counting. One that was overtaken gets a write conflict and runs
 * again.
 */
export async function serializeWriters(tx: UnitOfWork, resource: string): Promise<void> {
  const barrier = { resource, at: tx.now };
  if (await tx.find(WriteBarriers, { resource })) tx.update(WriteBarriers, barrier);
  else tx.create(WriteBarriers, barrier);
}
