import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { now, timestamp } from '#lib/core/clock.ts';
import { type Actor, type Tenant, tenantKey, tenantKeyPattern } from '#lib/core/tenant.ts';
import type { StatedEvent } from '../events/kinds.ts';
import { rowKey, shardOf, sharedPrefixes } from './keys.ts';
import { writeIf } from './write.ts';

/** An event as the code that causes it states it. */
export type EventDraft = StatedEvent & {
  /** Subject (`contact/5`): deliveries of one subject start in order. */
  subject: string;
  /** Paths that were cut from `data` (lib/events/bounds.ts). */
  truncated?: readonly string[];
};

export type Event = EventDraft & { timestamp: string };

export const outboxPrefix = sharedPrefixes.outbox;

/** An outbox row as the publisher reads it, from the stream or from the table. */
export const OutboxRow = v.object({
  pk: v.string(),
  sk: v.string(),
  tenant: v.pipe(v.string(), v.regex(tenantKeyPattern)),
  now: v.string(),
  events: v.array(
    v.object({
      /** Also one that a newer version has written. */
      kind: v.string(),
      id: v.string(),
      timestamp: v.string(),
      subject: v.string(),
      /** JSON: a map of the table forgets the order of its keys. */
      data: v.string(),
      truncated: v.optional(v.array(v.string())),
    }),
  ),
  audit: v.optional(v.record(v.string(), v.unknown())),
  /** The sequence of its first event, once numbered. */
  published: v.optional(v.number()),
  /** How often it failed for a reason of its own (lib/table/dead-letter.ts). */
  tries: v.optional(v.number()),
});

export type OutboxRow = v.InferOutput<typeof OutboxRow>;

/** Returns how the ids of all events of a transaction begin. */
export const eventPrefix = (transactionId: string): string => `evt_${transactionId.replaceAll('-', '')}`;

const maxRowEvents = 50;
const maxRowBytes = 250_000;

/**
 * The row that carries a transaction's events and its audit entry to the publisher; several when it would be too large, none
 * without either. All rows of a tenant share a partition, so that the table's stream hands them over in commit order.
 */
export function outboxItems(
  tenant: Tenant,
  transactionId: string,
  committedAt: string,
  actor: Actor,
  events: readonly Event[],
  audit: Record<string, unknown> | undefined,
) {
  if (events.length === 0 && !audit) return [];
  const key = tenantKey(tenant);
  const prefix = eventPrefix(transactionId);
  const at = new Date(now()).toISOString();
  return rowsOf(events.map((event, index) => ({ ...event, id: `${prefix}${index}` }))).map((row, index) => ({
    ...rowKey('outbox', {
      shard: shardOf('outbox', key),
      time: at,
      transaction: index === 0 ? transactionId : `${transactionId}#${String(index).padStart(3, '0')}`,
    }),
    tenant: key,
    now: committedAt,
    actor,
    events: row.map(({ data, ...event }) => ({ ...event, data: JSON.stringify(data) })),
    ...(audit && index === 0 ? { audit } : {}),
  }));
}

/** The events in their order, each row small enough for an item and for one transaction of the publisher. */
function rowsOf<E extends Event>(events: readonly E[]): E[][] {
  let row: E[] = [];
  const rows = [row];
  let bytes = 0;
  for (const event of events) {
    const size = Buffer.byteLength(JSON.stringify(event));
    if (row.length > 0 && (row.length === maxRowEvents || bytes + size > maxRowBytes)) {
      row = [event];
      rows.push(row);
      bytes = size;
    } else {
      row.push(event);
      bytes += size;
    }
  }
  return rows;
}

/** Records a refused call, which changed nothing else (contract section 18). */
export async function recordAudit(tenant: Tenant, actor: Actor, entry: Record<string, unknown>): Promise<void> {
  for (const item of outboxItems(tenant, randomUUID(), timestamp(), actor, [], entry))
    await writeIf({ key: item, item });
}
