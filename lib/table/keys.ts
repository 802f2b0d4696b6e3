import { createHash } from 'node:crypto';
import { type Tenant, tenantKey } from '#lib/core/tenant.ts';

export interface Key {
  pk: string;
  sk: string;
}

/** A key as one text. */
export const identity = ({ pk, sk }: Key) => `${pk}|${sk}`;

/** Ids fit 32 bits, so ten digits sort as text as they do as numbers. */
export const sortableId = (id: number) => String(id).padStart(10, '0');

/** The first words of partitions that all tenants share: what lies there names its tenant itself. */
export const sharedPrefixes = {
  due: 'DUE',
  hook: 'HOOK',
  key: 'KEY',
  member: 'MEMBER',
  outbox: 'OUTBOX',
  session: 'SESSION',
  signIn: 'SIGN-IN',
  signedIn: 'SIGNED-IN',
} as const;

const isShared = (pk: string) => Object.values(sharedPrefixes).some((prefix) => `${pk}#`.startsWith(`${prefix}#`));

/**
 * The wall behind keys that come from stored data: throws for a row that is neither of the tenant nor of its workspace nor, with
 * `orShared`, in a partition that all share.
 */
export function requireOwn(tenant: Tenant, { pk }: Pick<Key, 'pk'>, orShared: boolean): void {
  const isOwn = pk.startsWith(`${tenantKey(tenant)}#`) || pk.startsWith(`${tenant.workspaceId}#`);
  if (!isOwn && !(orShared && isShared(pk))) throw new Error(`${tenantKey(tenant)} has no row in ${pk}`);
}

/** `7:live`, or `7` for what both environments of a workspace share. */
export const scopeKey = (tenant: Tenant, { scope }: { scope?: 'workspace' }) =>
  scope === 'workspace' ? String(tenant.workspaceId) : tenantKey(tenant);

/** Partition and place of every row whose place no entity's declaration says; docs/table.md says what they are for. */
export const rowKeys = {
  ids: ['{scope}#ids', 'ids'],
  counter: ['{tenant}#count/{group}', '{name}#{spread}'],
  sequence: ['{tenant}#event-number', 'event-number'],
  change: ['{tenant}#{noun}/change', '{time}#{transaction}'],
  claim: ['{tenant}#idempotency/{call}', '{piece}'],
  outcome: ['{claim}/items', '{index}'],
  quota: ['{tenant}#quota', '{day}#{quota}'],
  requestLog: ['{tenant}#request-log/{day}', '{began}'],
  slot: ['{tenant}#slots', '{slot}'],
  codePhone: ['{tenant}#code-phones', '{digest}'],
  memberCount: ['{workspace}#member-count', 'made'],
  activeKeys: ['{workspace}#key-count', 'active'],
  import: ['{workspace}#import', 'import'],
  workspaceIds: ['WORKSPACES', 'ids'],
  outbox: [`${sharedPrefixes.outbox}#{shard}`, '{time}#{transaction}'],
  due: [`${sharedPrefixes.due}#{shard}`, '{time}#{place}'],
  hook: [`${sharedPrefixes.hook}#{hookId}`, 'HOOK'],
  key: [`${sharedPrefixes.key}#{keyId}`, 'KEY'],
  memberAddress: [`${sharedPrefixes.member}#{address}`, '{workspace}#{id}'],
  address: ['IP#{ip}', '{window}'],
  signIn: [`${sharedPrefixes.signIn}#{hash}`, 'SIGN-IN'],
  session: [`${sharedPrefixes.session}#{hash}`, 'SESSION'],
  signedIn: [`${sharedPrefixes.signedIn}#{by}`, 'SIGNED-IN'],
  signInCounts: ['SIGN-INS#{by}', '{window}'],
  sweep: ['SWEEP', '{partition}'],
  none: ['PRIME', 'PRIME'],
} as const;

type Blanks<Text> = Text extends `${string}{${infer Blank}}${infer Rest}` ? Blank | Blanks<Rest> : never;
type Parts<Text> = Readonly<Record<Blanks<Text>, string | number>>;
type RowName = keyof typeof rowKeys;

export const rowKey = <Name extends RowName>(name: Name, parts: Parts<(typeof rowKeys)[Name][number]>): Key => {
  const [pk, sk] = rowKeys[name];
  return { pk: fillKey(pk, parts), sk: fillKey(sk, parts) };
};

export const rowPartition = <Name extends RowName>(name: Name, parts: Parts<(typeof rowKeys)[Name][0]>): string =>
  fillKey(rowKeys[name][0], parts);

/** A part of a template that is filled: `{id}`. */
export const blank = /\{(\w+)\}/g;

/** Fills a template; null becomes `none`. Throws for a missing value. */
export const fillKey = (template: string, values: Readonly<Record<string, unknown>>) =>
  template.replaceAll(blank, (_, name: string) => {
    if (values[name] === undefined) throw new Error(`${template} is not filled`);
    return String(values[name] ?? 'none');
  });

/** Where one of the rows lies over which a counter is spread. */
export const counterKey = (tenant: Tenant, group: string, name: string, spread: number): Key =>
  rowKey('counter', { tenant: tenantKey(tenant), group, name, spread });

/**
 * Over how many partitions a queue of all tenants is spread: what is written in the order of time is never split, and takes a thousand
 * write units a second. Every change writes and removes a row of the outbox. A number may only rise: the sweeper looks into all.
 */
const shardCounts = { outbox: 128, due: 32 } as const;
export type ShardedQueue = keyof typeof shardCounts;

const shardName = (shard: number) => String(shard).padStart(2, '0');

/** The shard of a queue, the same for the same text. */
export const shardOf = (queue: ShardedQueue, text: string): string =>
  shardName(createHash('sha256').update(text).digest().readUInt16BE(0) % shardCounts[queue]);

/** Every partition of a queue: `DUE#00` to `DUE#31`. */
export const shardsOf = (queue: ShardedQueue): string[] =>
  Array.from({ length: shardCounts[queue] }, (_, shard) => `${sharedPrefixes[queue]}#${shardName(shard)}`);
