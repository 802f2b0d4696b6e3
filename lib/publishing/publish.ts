import * as v from 'valibot';
import { hasBus, putOnBus } from '#lib/bus/bus.ts';
import { secondMs } from '#lib/clock.ts';
import { AuditEvents } from '#lib/entities/audit-event.ts';
import { Feed, type FeedEvent } from '#lib/entities/feed-event.ts';
import { bounded } from '#lib/events/bounds.ts';
import { log } from '#lib/log.ts';
import { inParallel } from '#lib/parallel.ts';
import { Problem } from '#lib/problem.ts';
import { isContention } from '#lib/table/change.ts';
import { identity, type Key, rowKey } from '#lib/table/keys.ts';
import { OutboxRow } from '#lib/table/outbox.ts';
import { putRows, readRow, readRows, removeRows } from '#lib/table/rows.ts';
import { countTry, failed, isOwnReason, passOver, readable, uncountTry } from '#lib/table/set-aside.ts';
import { freshRows } from '#lib/table/stored.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { parseTenantKey, system, type Tenant, tenantKey } from '#lib/tenant.ts';
import { fanOut, type Room, readEndpoints } from '#lib/webhooks/fan-out.ts';

/** What one numbering transaction holds at most: a feed row an event, an update a row, four actions an audit entry. */
const maxWeight = 90;
/** So many deliveries of a tenant are made in one call; what is beyond is left to a worker, so that others do not wait for it. */
const maxDeliveries = 200;
const weightOf = (row: OutboxRow) => row.events.length + 1 + (row.audit ? 4 : 0);
/** Nobody else gives a tenant's events their numbers but a sweep, so a conflict that lasts longer does not pass. */
const numberingMs = 2 * secondMs;
/** Rows of one tenant side by side. */
const maxPassedOver = 25;
/** DynamoDB's limit is 4 MB. */
const maxChunkBytes = 2_000_000;
const bytesOf = (row: OutboxRow) => row.events.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0);

/**
 * Gives the events of outbox rows their sequence, in the order given, writes them to the feed, makes one delivery per
 * subscribed endpoint and puts them on the event bus, then removes the rows. May be called again with the same rows at any point: what is done stays done.
 * A row that fails for a reason of its own is passed over before it has a number, and the others of its tenant go on. A tenant that
 * meets nothing but conflicts holds up no other: all its rows are passed over, as are those of the tenants in `contending`, to which
 * it is added. Returns the rows that are left for a reason that may pass.
 */
export async function publish<Stored extends Key>(
  stored: readonly Stored[],
  contending: Map<string, unknown> = new Map(),
): Promise<Stored[]> {
  const rows: OutboxRow[] = [];
  const unreadable: Promise<void>[] = [];
  for (const row of stored) {
    try {
      rows.push(readable(OutboxRow, row));
    } catch (error) {
      unreadable.push(passOver(row, error));
    }
  }
  const byTenant = Map.groupBy(rows, (row) => row.tenant);
  const left = await Promise.all(
    [...byTenant].map(([key, own]) => publishTenant(parseTenantKey(key), own, contending)),
  );
  await Promise.all(unreadable);
  const places = new Set(left.flat().map(identity));
  return stored.filter((row) => places.has(identity(row)));
}

/** Returns what is left: all from the first row on whose reason may pass, so that the order stays. */
async function publishTenant(
  tenant: Tenant,
  rows: readonly OutboxRow[],
  contending: Map<string, unknown>,
): Promise<readonly OutboxRow[]> {
  const key = tenantKey(tenant);
  let done = 0;
  const room = { deliveries: maxDeliveries };
  try {
    if (contending.has(key)) throw contending.get(key);
    for (const chunk of chunksOf(rows)) {
      if (!(await publishTogether(tenant, chunk, room))) {
        for (const row of chunk) {
          await publishAlone(tenant, row, room);
          done += 1;
        }
      } else done += chunk.length;
    }
  } catch (error) {
    log().error('events wait to be published', error as Error);
    if (!isContention(error)) return rows.slice(done);
    contending.set(key, error);
    await inParallel(rows.slice(done), maxPassedOver, (row) => passOver(row, error));
  }
  return [];
}

/** Returns false, with nothing lost, when one of them has a reason of its own to fail. */
async function publishTogether(tenant: Tenant, chunk: readonly OutboxRow[], room: Room): Promise<boolean> {
  if (chunk.some(isRetried)) return false;
  try {
    await publishChunk(tenant, chunk, room);
    return true;
  } catch (error) {
    if (isOwnReason(error)) return false;
    throw error;
  }
}

/** The try is counted before it is made, so that one counts which ends the process. */
async function publishAlone(tenant: Tenant, row: OutboxRow, room: Room): Promise<void> {
  const tries = await countTry(row);
  if (tries === undefined) return;
  try {
    await publishChunk(tenant, [row], room);
  } catch (error) {
    const isCounted = isOwnReason(error) || isContention(error);
    if (isCounted) await failed(row, tries, error);
    else await uncountTry(row, tries);
    if (!isOwnReason(error)) throw error;
  }
}

const isRetried = ({ tries }: OutboxRow) => tries !== undefined;

async function publishChunk(tenant: Tenant, rows: readonly OutboxRow[], room: Room): Promise<void> {
  await putAudit(tenant, rows);
  const numberless = rows.filter(({ events, audit }) => events.length === 0 && (audit === undefined || hasId(audit)));
  const others = rows.filter((row) => !numberless.includes(row));
  const endpoints = others.some(({ events }) => events.length > 0) ? await readEndpoints(tenant) : [];
  const isLast = endpoints.length === 0 && !hasBus();
  const numbered = (await number(tenant, others, isLast)) ?? (await numberOneByOne(tenant, others, isLast));
  if (!isLast) {
    await fanOut(tenant, numbered, room, endpoints);
    await putOnBus(tenant, numbered);
  }
  await remove(isLast ? numberless : rows);
}

/** The number of the tenant's latest event. */
const Sequence = v.optional(v.object({ last: v.optional(v.number(), 0) }), {});

class AlreadyPublished extends Problem {}

/**
 * The events with their numbers; undefined when one of the rows was published before. When numbering is the last that is to be done,
 * the rows go with it; or else they are marked, so that whoever finds them goes on.
 */
async function number(tenant: Tenant, rows: readonly OutboxRow[], isLast: boolean): Promise<FeedEvent[] | undefined> {
  if (rows.length === 0) return [];
  try {
    return await transact(
      tenant,
      system,
      async (tx) => {
        const key = rowKey('sequence', { tenant: tenantKey(tenant) });
        const last = v.parse(Sequence, await readRow(key)).last;
        const events = feedEvents(tenant, rows, last);
        for (const event of events) tx.create(Feed, event);
        await createAudit(tx, rows);
        advance(tx, key, last, last + events.length);
        let first = last + 1;
        for (const row of rows) {
          markPublished(tx, row, first, isLast);
          first += row.events.length;
        }
        return events;
      },
      { giveUpMs: numberingMs },
    );
  } catch (error) {
    if (error instanceof AlreadyPublished) return undefined;
    throw error;
  }
}

/** Some rows of the chunk were numbered by a call that died, or are gone: each is looked at by itself. */
async function numberOneByOne(tenant: Tenant, rows: readonly OutboxRow[], isLast: boolean): Promise<FeedEvent[]> {
  const events: FeedEvent[] = [];
  const stored = await readRows(rows);
  for (const row of rows) {
    const found = stored.get(identity(row));
    if (found === undefined) continue;
    const now = readable(OutboxRow, found);
    if (now.published === undefined) events.push(...((await number(tenant, [row], isLast)) ?? []));
    else if (isLast) await remove([row]);
    else events.push(...feedEvents(tenant, [row], now.published - 1));
  }
  return events;
}

function feedEvents(tenant: Tenant, rows: readonly OutboxRow[], last: number): FeedEvent[] {
  return rows
    .flatMap((row) => row.events.map((event) => ({ ...event, committedAt: committedAt(row) })))
    .map(({ kind, id, timestamp, subject, committedAt, ...stored }, index) => {
      const sequence = last + 1 + index;
      const livemode = tenant.env === 'live';
      // Of a row of an older version nothing was cut.
      const { data, truncated } = bounded({ data: JSON.parse(stored.data), truncated: stored.truncated });
      const body = JSON.stringify({ event: kind, id, timestamp, sequence, livemode, data, truncated });
      return { sequence, event: kind, id, timestamp, subject, committedAt, body };
    });
}

/** An outbox row is sorted by its time. */
const committedAt = ({ sk }: OutboxRow) => sk.split('#')[0] as string;

const hasId = (audit: NonNullable<OutboxRow['audit']>) => audit['id'] !== undefined;

/** Entries that got their ids with their calls are the same whenever they are written, and need no transaction. */
const putAudit = (tenant: Tenant, rows: readonly OutboxRow[]): Promise<void> =>
  putRows(
    rows.flatMap(({ audit, now }) =>
      audit && hasId(audit) ? freshRows(tenant, AuditEvents, auditEvent(audit, now)) : [],
    ),
  );

/** The other ones get theirs with the events. */
async function createAudit(tx: UnitOfWork, rows: readonly OutboxRow[]): Promise<void> {
  const audited = rows.flatMap(({ audit, now }) => (audit && !hasId(audit) ? [{ audit, now }] : []));
  await tx.reserveIds({ [AuditEvents.name]: audited.length });
  for (const { audit, now } of audited)
    tx.create(AuditEvents, auditEvent({ ...audit, id: await tx.nextId(AuditEvents) }, now));
}

const auditEvent = (audit: Record<string, unknown>, createdAt: string) =>
  v.parse(AuditEvents.schema, { ...audit, createdAt });

function advance(tx: UnitOfWork, key: Key, from: number, to: number): void {
  if (to !== from) tx.write({ key, set: { last: to }, if: from === 0 ? { absent: ['last'] } : { is: { last: from } } });
}

function markPublished(tx: UnitOfWork, { pk, sk }: OutboxRow, first: number, isLast: boolean): void {
  const change = isLast ? { item: null } : { set: { published: first } };
  tx.write(
    { key: { pk, sk }, ...change, if: { present: ['pk'], absent: ['published'] } },
    () => new AlreadyPublished('conflict', 'the row was published before'),
  );
}

/** Removing is the last step; what it leaves behind the sweeper finds, and finds published. */
const remove = (rows: readonly OutboxRow[]) => removeRows(rows);

function* chunksOf(rows: readonly OutboxRow[]): Generator<OutboxRow[]> {
  let chunk: OutboxRow[] = [];
  let weight = 0;
  let bytes = 0;
  for (const row of rows) {
    const isFull = weight + weightOf(row) > maxWeight || bytes + bytesOf(row) > maxChunkBytes;
    if (chunk.length > 0 && (isFull || isRetried(row) || chunk.some(isRetried))) {
      yield chunk;
      chunk = [];
      weight = 0;
      bytes = 0;
    }
    chunk.push(row);
    weight += weightOf(row);
    bytes += bytesOf(row);
  }
  if (chunk.length > 0) yield chunk;
}
