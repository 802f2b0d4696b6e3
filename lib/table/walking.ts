import { secondMs } from '../clock.ts';
import { defaultTimeoutSeconds } from '../timeouts.ts';
import { isComplete } from './completeness.ts';
import { type Entity, indexSince } from './entity.ts';
import { inSlot } from './slots.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/**
 * Lists by an index of all partitions of an entity: in a slot as long as the index is not complete, because each of them is then
 * looked through. Raises 429 while other slow calls have all of the tenant's slots.
 */
export const acrossPartitions = async <Listed>(
  tx: UnitOfWork,
  of: Entity,
  index: string,
  list: () => Promise<Listed>,
): Promise<Listed> =>
  (await isComplete(tx.tenant, of, indexSince(of, index)))
    ? list()
    : inSlot(tx.tenant, defaultTimeoutSeconds * secondMs, list);
