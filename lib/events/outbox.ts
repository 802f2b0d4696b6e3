import { randomUUID } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { timestamp } from '../clock.ts';
import { env } from '../env.ts';
import { documentClient } from '../table/client.ts';
import { shardOf } from '../table/keys.ts';
import { type Actor, type Tenant, tenantKey } from '../tenant.ts';
import { type EventKind, eventKinds } from './kinds.ts';

/** An event as the code that causes it states it. Keys of `data` are snake_case and ids strings (contract section 15). */
export interface EventDraft {
  kind: EventKind;
  /** What it is about (`contact/5`): deliveries of one subject start in order. */
  subject: string;
  data: Record<string, unknown>;
}

export interface Event extends EventDraft {
  timestamp: string;
}

export const outboxPrefix = 'OUTBOX';

/** An outbox row as the publisher reads it, from the stream or from the table. */
export const OutboxRow = v.object({
  pk: v.string(),
  sk: v.string(),
  tenant: v.string(),
  now: v.string(),
  events: v.array(
    v.object({
      kind: v.picklist(Object.keys(eventKinds) as EventKind[]),
      id: v.string(),
      timestamp: v.string(),
      subject: v.string(),
      /** JSON: a map of the table forgets the order of its keys. */
      data: v.string(),
    }),
  ),
  audit: v.optional(v.record(v.string(), v.unknown())),
  /** The sequence of its first event, once numbered. */
  published: v.optional(v.number()),
});

export type OutboxRow = v.InferOutput<typeof OutboxRow>;

const maxRowEvents = 50;
const maxRowBytes = 250_000;

/**
 * The row that carries a transaction's events and its audit entry to the publisher; several when it would be too large, none
 * without either. All rows of a tenant share a partition, so that the table's stream hands them over in commit order.
 */
export function outboxItems(
  tenant: Tenant,
  transactionId: string,
  now: string,
  actor: Actor,
  events: readonly Event[],
  audit: Record<string, unknown> | undefined,
) {
  if (events.length === 0 && !audit) return [];
  const key = tenantKey(tenant);
  const prefix = `evt_${transactionId.replaceAll('-', '')}`;
  const at = new Date().toISOString();
  return rowsOf(events.map((event, index) => ({ ...event, id: `${prefix}${index}` }))).map((row, index) => ({
    pk: `${outboxPrefix}#${shardOf(key)}`,
    sk: index === 0 ? `${at}#${transactionId}` : `${at}#${transactionId}#${String(index).padStart(3, '0')}`,
    tenant: key,
    now,
    actor,
    events: row.map(({ data, ...event }) => ({ ...event, data: JSON.stringify(data) })),
    ...(audit && index === 0 ? { audit } : {}),
  }));
}

/** The events in their order, each row small enough for an item and for one transaction of the publisher. */
export function rowsOf<E extends Event>(events: readonly E[]): E[][] {
  const rows: E[][] = [[]];
  let bytes = 0;
  for (const event of events) {
    const size = Buffer.byteLength(JSON.stringify(event));
    const row = rows.at(-1) as E[];
    if (row.length > 0 && (row.length === maxRowEvents || bytes + size > maxRowBytes)) {
      rows.push([event]);
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
  await documentClient().send(
    new PutCommand({
      TableName: env('TABLE_NAME'),
      Item: outboxItems(tenant, randomUUID(), timestamp(), actor, [], entry)[0],
    }),
  );
}
