import type { Environment } from '#lib/core/tenant.ts';
import { entities } from '#lib/entities/all.ts';
import { type Entity, kindOf } from '#lib/table/entity.ts';

const byKind = new Map(entities.map((of) => [kindOf(of), of]));

/** The partition with the ids taken out: the timelines of all contacts are of one kind. */
export const kindOfPartition = (partition: string) => partition.replace(/\/[^/]+\//, '/*/');

/** Returns the entity in a partition (its key without the tenant). */
export const entityIn = (partition: string): Entity | undefined => byKind.get(kindOfPartition(partition));

/** The environment, if it is of one, and the partition of a key in an archive. */
export function divided(pk: string): { env: Environment | ''; partition: string } {
  const end = pk.indexOf('#');
  return { env: pk.slice(1, end) as Environment | '', partition: pk.slice(end + 1) };
}
