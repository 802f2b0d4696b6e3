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

/** `7:live#contact` */
export const partition = (tenant: Tenant, name: string) => `${tenantKey(tenant)}#${name}`;

const shards = 32;

/** One of 32 partitions, the same for the same text, so that global queues do not make one hot key. */
export function shardOf(text: string): string {
  return String(createHash('sha256').update(text).digest().readUInt16BE(0) % shards).padStart(2, '0');
}

/** Every shard of a sharded partition: `DUE#00` to `DUE#31`. */
export const shardsOf = (prefix: string) =>
  Array.from({ length: shards }, (_, shard) => `${prefix}#${String(shard).padStart(2, '0')}`);
