import type { GenericSchema, InferOutput } from 'valibot';
import type { QueueName } from '../queues.ts';
import { type Tenant, tenantKey } from '../tenant.ts';
import { identity, type Key, partition, shardOf, sortableId } from './keys.ts';

/** Partition keys of the rows that wait for their time, all tenants together. */
export const duePrefix = 'DUE';

/** When a row wants attention, which queue is told and what. Rows of one `group` are told in commit order. */
interface WakeUp {
  at: string;
  queue: QueueName;
  message: Record<string, unknown>;
  group: string;
}

/** A second place where an entity is found: `stage=new`. `copy` is kept there, so that a query needs no second read. */
interface IndexEntry {
  name: string;
  copy?: Record<string, unknown>;
  /** Sorted by this before the id, for queues and time ranges that `pages` reads; `listPage` takes only entries without. */
  order?: string;
}

/** One declaration per entity: what is stored, where it lies, and where else it is found. */
export interface Entity<Schema extends GenericSchema = GenericSchema> {
  /** Also the name of its id counter. */
  name: string;
  /** Of the stored item; every read is parsed with it. */
  schema: Schema;
  /** `workspace`: shared by both environments of a workspace. */
  scope?: 'workspace';
  /** Its whole partition key when it must be found without knowing the tenant. */
  partitionKey?(item: InferOutput<Schema>): string;
  /** The partition it lies in when that is not its name: `contact/5/activity`. */
  within?(item: InferOutput<Schema>): string;
  /** Its sort key when that is not the padded id. */
  sortKey?(item: InferOutput<Schema>): string;
  indexes?(item: InferOutput<Schema>): readonly (IndexEntry | false | null | undefined)[];
  wakeUp?(item: InferOutput<Schema>, tenant: Tenant): WakeUp | null;
  /** Unix seconds after which it is gone. */
  expiresAtSeconds?(item: InferOutput<Schema>): number | undefined;
}

export type Item<E extends Entity> = InferOutput<E['schema']>;

/** Gives the declaration its exact type. */
export const entity = <const Schema extends GenericSchema>(declaration: Entity<Schema>): Entity<Schema> => declaration;

export function keyOf<E extends Entity>(tenant: Tenant, of: E, item: Item<E>): Key {
  return {
    pk: of.partitionKey?.(item) ?? entityPartition(tenant, of, of.within?.(item)),
    sk: of.sortKey?.(item) ?? sortableId((item as { id: number }).id),
  };
}

/** The partition of an entity: `7:live#contact`, or `7#member` where both environments share it. */
export const entityPartition = (tenant: Tenant, of: Entity, within: string = of.name) =>
  of.scope === 'workspace' ? `${tenant.workspaceId}#${within}` : partition(tenant, within);

/** The partition of an index: `7:live#contact?stage=new`. */
export const indexPartition = (tenant: Tenant, of: Entity, name: string) =>
  entityPartition(tenant, of, `${of.name}?${name}`);

/** The items that stand beside an entity: its index entries and its wake-up, by their keys. */
export function companions<E extends Entity>(
  tenant: Tenant,
  of: E,
  item: Item<E>,
): Map<string, Record<string, unknown> & Key> {
  const found = new Map<string, Record<string, unknown> & Key>();
  const key = keyOf(tenant, of, item);
  const expiresAtSeconds = of.expiresAtSeconds?.(item);
  const add = (companion: Record<string, unknown> & Key) => {
    found.set(identity(companion), expiresAtSeconds === undefined ? companion : { ...companion, expiresAtSeconds });
  };
  for (const entry of of.indexes?.(item) ?? []) {
    if (!entry) continue;
    const id = sortableId((item as { id: number }).id);
    const sk = entry.order === undefined ? id : `${entry.order}#${id}`;
    add({ ...entry.copy, pk: indexPartition(tenant, of, entry.name), sk, of: key });
  }
  const wakeUp = of.wakeUp?.(item, tenant);
  if (wakeUp) {
    add({
      ...wakeUp,
      pk: `${duePrefix}#${shardOf(wakeUp.group)}`,
      sk: `${wakeUp.at}#${key.pk}#${key.sk}`,
      tenant: tenantKey(tenant),
    });
  }
  return found;
}
