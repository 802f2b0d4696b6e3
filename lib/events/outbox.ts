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
      data: v.record(v.string(), v.unknown()),
    }),
  ),
  audit: v.optional(v.record(v.string(), v.unknown())),
  /** The sequence of its first event, once numbered. */
  published: v.optional(v.number()),
});

export type OutboxRow = v.InferOutput<typeof OutboxRow>;

/**
 * The one row that carries a transaction's events and its audit entry to the publisher. All rows of a tenant share a
 * partition, so that the table's stream hands them over in commit order.
 */
export function outboxItem(
  tenant: Tenant,
  transactionId: string,
  now: string,
  actor: Actor,
  events: readonly Event[],
  audit: Record<string, unknown> | undefined,
) {
  const key = tenantKey(tenant);
  return {
    pk: `${outboxPrefix}#${shardOf(key)}`,
    sk: `${new Date().toISOString()}#${transactionId}`,
    tenant: key,
    now,
    actor,
    events: events.map((event, index) => ({ ...event, id: `evt_${transactionId.replaceAll('-', '')}${index}` })),
    ...(audit ? { audit } : {}),
  };
}

/** Records a refused call, which changed nothing else (contract section 18). */
export async function recordAudit(tenant: Tenant, actor: Actor, entry: Record<string, unknown>): Promise<void> {
  await documentClient().send(
    new PutCommand({
      TableName: env('TABLE_NAME'),
      Item: outboxItem(tenant, randomUUID(), timestamp(), actor, [], entry),
    }),
  );
}
