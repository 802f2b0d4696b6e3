import { createHash } from 'node:crypto';
import { type Tenant, tenantKey } from '../tenant.ts';

export interface Key {
  pk: string;
  sk: string;
}

/** A key as one text. */
export const identity = ({ pk, sk }: Key) => `${pk}|${sk}`;

/** Ids fit 32 bits, so ten digits sort as text as they do as numbers. */
export const sortableId = (id: number) => String(id).padStart(10, '0');

/** The first words of partitions that all tenants share: what lies there names its tenant itself. */
export const sharedPrefixes = { due: 'DUE', key: 'KEY', outbox: 'OUTBOX', aside: 'SET-ASIDE' } as const;

const isShared = (pk: string) => Object.values(sharedPrefixes).some((prefix) => `${pk}#`.startsWith(`${prefix}#`));

/**
 * The wall behind keys that come from stored data: throws for a row that is neither of the tenant nor of its workspace nor, with
 * `orShared`, in a partition that all share.
 */
export function demandOwn(tenant: Tenant, { pk }: Pick<Key, 'pk'>, orShared: boolean): void {
  const isOwn = pk.startsWith(`${tenantKey(tenant)}#`) || pk.startsWith(`${tenant.workspaceId}#`);
  if (!isOwn && !(orShared && isShared(pk))) throw new Error(`${tenantKey(tenant)} has no row in ${pk}`);
}

/** `7:live#contact` */
export const partition = (tenant: Tenant, name: string) => `${tenantKey(tenant)}#${name}`;

/** Where one of the rows lies over which a counter is spread. */
export const counterKey = (tenant: Tenant, group: string, name: string, spread: number): Key => ({
  pk: partition(tenant, `count/${group}`),
  sk: `${name}#${spread}`,
});

const shards = 32;

/** One of 32 partitions, the same for the same text, so that global queues do not make one hot key. */
export function shardOf(text: string): string {
  return String(createHash('sha256').update(text).digest().readUInt16BE(0) % shards).padStart(2, '0');
}

/** Every shard of a sharded partition: `DUE#00` to `DUE#31`. */
export const shardsOf = (prefix: string) =>
  Array.from({ length: shards }, (_, shard) => `${prefix}#${String(shard).padStart(2, '0')}`);
