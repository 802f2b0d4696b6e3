import { GetCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { AuditEvents } from '#lib/audit/audit.ts';
import { env } from '#lib/env.ts';
import { Problem } from '#lib/problem.ts';
import { documentClient } from '#lib/table/client.ts';
import { identity, type Key, partition } from '#lib/table/keys.ts';
import { readRows, writeRows } from '#lib/table/rows.ts';
import { type Transaction, transact } from '#lib/table/transaction.ts';
import { parseTenantKey, system, type Tenant } from '#lib/tenant.ts';
import { fanOut } from '#lib/webhooks/fan-out.ts';
import { Feed, type FeedEvent } from './feed.ts';
import { OutboxRow } from './outbox.ts';

/** What one numbering transaction holds at most: a feed row an event, an update a row, four actions an audit entry. */
const maxWeight = 90;
const weightOf = (row: OutboxRow) => row.events.length + 1 + (row.audit ? 4 : 0);

/**
 * Gives the events of outbox rows their sequence, in the order given, writes them to the feed, makes one delivery per
 * subscribed endpoint, then removes the rows. May be called again with the same rows at any point: what is done stays done.
 */
export async function publish(rows: readonly OutboxRow[]): Promise<void> {
  const byTenant = Map.groupBy(rows, (row) => row.tenant);
  await Promise.all([...byTenant].map(([key, own]) => publishTenant(parseTenantKey(key), own)));
}

async function publishTenant(tenant: Tenant, rows: readonly OutboxRow[]): Promise<void> {
  for (const chunk of chunksOf(rows)) {
    const numbered = (await number(tenant, chunk)) ?? (await numberOneByOne(tenant, chunk));
    await fanOut(tenant, numbered);
    await remove(chunk);
  }
}

class AlreadyPublished extends Problem {}

/** The events with their numbers; undefined when one of the rows was published before. */
async function number(tenant: Tenant, rows: readonly OutboxRow[]): Promise<FeedEvent[] | undefined> {
  try {
    return await transact(tenant, system, async (tx) => {
      const key = { pk: partition(tenant, 'sequence'), sk: 'sequence' };
      const { Item } = await documentClient().send(
        new GetCommand({ TableName: env('TABLE_NAME'), Key: key, ConsistentRead: true }),
      );
      const last = (Item?.['last'] as number | undefined) ?? 0;
      const events = feedEvents(tenant, rows, last);
      for (const event of events) tx.create(Feed, event);
      await createAudit(tx, rows);
      advance(tx, key, last, last + events.length);
      let first = last + 1;
      for (const row of rows) {
        markPublished(tx, row, first);
        first += row.events.length;
      }
      return events;
    });
  } catch (error) {
    if (error instanceof AlreadyPublished) return undefined;
    throw error;
  }
}

/** Some rows of the chunk were numbered by a call that died, or are gone: each is looked at by itself. */
async function numberOneByOne(tenant: Tenant, rows: readonly OutboxRow[]): Promise<FeedEvent[]> {
  const events: FeedEvent[] = [];
  const stored = await readRows(rows);
  for (const row of rows) {
    const found = stored.get(identity(row));
    if (found === undefined) continue;
    const now = v.parse(OutboxRow, found);
    if (now.published === undefined) events.push(...((await number(tenant, [row])) ?? []));
    else events.push(...feedEvents(tenant, [row], now.published - 1));
  }
  return events;
}

function feedEvents(tenant: Tenant, rows: readonly OutboxRow[], last: number): FeedEvent[] {
  return rows
    .flatMap((row) => row.events.map((event) => ({ ...event, committedAt: committedAt(row) })))
    .map(({ kind, id, timestamp, data, subject, committedAt }, index) => {
      const sequence = last + 1 + index;
      const livemode = tenant.env === 'live';
      const body = JSON.stringify({ event: kind, id, timestamp, sequence, livemode, data: JSON.parse(data) });
      return { sequence, event: kind, id, timestamp, subject, committedAt, body };
    });
}

/** An outbox row is sorted by its time. */
const committedAt = ({ sk }: OutboxRow) => sk.split('#')[0] as string;

async function createAudit(tx: Transaction, rows: readonly OutboxRow[]): Promise<void> {
  const audited = rows.filter((row) => row.audit);
  await tx.reserveIds({ [AuditEvents.name]: audited.length });
  for (const row of audited) {
    tx.create(
      AuditEvents,
      v.parse(AuditEvents.schema, { ...row.audit, id: await tx.nextId(AuditEvents), createdAt: row.now }),
    );
  }
}

function advance(tx: Transaction, Key: Key, from: number, to: number): void {
  if (to === from) return;
  tx.write({
    Update: {
      TableName: env('TABLE_NAME'),
      Key,
      UpdateExpression: 'SET #last = :to',
      ConditionExpression: from === 0 ? 'attribute_not_exists(#last)' : '#last = :from',
      ExpressionAttributeNames: { '#last': 'last' },
      ExpressionAttributeValues: { ':to': to, ...(from === 0 ? {} : { ':from': from }) },
    },
  });
}

function markPublished(tx: Transaction, { pk, sk }: OutboxRow, first: number): void {
  tx.write(
    {
      Update: {
        TableName: env('TABLE_NAME'),
        Key: { pk, sk },
        UpdateExpression: 'SET published = :first',
        ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(published)',
        ExpressionAttributeValues: { ':first': first },
      },
    },
    () => new AlreadyPublished('conflict', 'the row was published before'),
  );
}

/** Removing is the last step; what it leaves behind the sweeper finds, and finds published. */
const remove = (rows: readonly OutboxRow[]) =>
  writeRows(rows.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })));

function* chunksOf(rows: readonly OutboxRow[]): Generator<OutboxRow[]> {
  let chunk: OutboxRow[] = [];
  let weight = 0;
  for (const row of rows) {
    if (chunk.length > 0 && weight + weightOf(row) > maxWeight) {
      yield chunk;
      chunk = [];
      weight = 0;
    }
    chunk.push(row);
    weight += weightOf(row);
  }
  if (chunk.length > 0) yield chunk;
}
