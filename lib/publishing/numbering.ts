import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { now, secondMs } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import { system, type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { AuditEvents } from '#lib/entities/audit-event.ts';
import { Feed, type FeedEvent } from '#lib/entities/feed-event.ts';
import { Numbers, numbersKey, type Opened } from '#lib/publishing/feed/numbers.ts';
import { Busy, WriteConflict } from '#lib/table/change.ts';
import { isPermanent, reasonOf, requireReadable } from '#lib/table/dead-letter.ts';
import type { IdPool } from '#lib/table/ids.ts';
import { identity, type Key } from '#lib/table/keys.ts';
import { OutboxRow } from '#lib/table/outbox.ts';
import { putRows, type Row, readRow, readRows } from '#lib/table/rows.ts';
import { requireFit } from '#lib/table/size.ts';
import { freshRows } from '#lib/table/stored.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { type Condition, writeIf } from '#lib/table/write.ts';

/** So long others leave rows to who has given them their numbers: it may be at work. */
const openMs = 10 * secondMs;
/** ID of this process, which resumes its own open rounds at once. */
const by = randomUUID();
/** Last finished round of this process, by tenant. Keeping it in memory saves the next publication a read. */
const ended = new Map<string, string>();
const maxEnded = 10_000;

/** An outbox row with the number of its first event, and the id of its audit entry where its call has not fetched one. */
interface NumberedRow {
  row: OutboxRow;
  first: number;
  auditId: number | undefined;
}

/** Whether an audit entry is still without an id. */
const isNameless = ({ audit }: OutboxRow) => audit !== undefined && audit['id'] === undefined;
/** Whether there is something of a row that must not be given twice. */
const isNumbered = (row: OutboxRow) => row.events.length > 0 || isNameless(row);

/** Rows that have their numbers and are in the feed, until they are let go of. */
export interface Numbered {
  /** In their order; those too that had their numbers before. */
  events: FeedEvent[];
  /** Notes in the rows that are still there what number they have, so that whoever comes to them goes on from there. */
  keep(): Promise<void>;
  /** Once the rows are removed. */
  release(): void;
}

/**
 * Gives the events of outbox rows their sequence, in the order given, and writes them to the feed and the audit trail. The numbers are noted in one row before they
 * are used, so that they are without holes and no event has two, whoever dies: the next publisher of the tenant first brings to an end
 * what it finds open. Rows that are gone are passed by. Throws Busy when somebody else was faster, WriteConflict when the numbers are refused though nobody has
 * changed them, and what a row's own reason to fail is before anything has a number.
 */
export async function number(tenant: Tenant, rows: readonly OutboxRow[], ids: IdPool): Promise<Numbered> {
  const { last, round, open } = v.parse(Numbers, await readRow(numbersKey(tenant)));
  if (open && !(await hasEnded(tenant, round, open))) {
    if (open.by !== by && now() < open.atMs + openMs) throw new Busy('another publisher is at it');
    await settle(tenant, round, open);
    return number(tenant, rows, ids);
  }
  // After the numbers: who removes a row has moved them on.
  const stored = await readRows(rows);
  const known: number[] = [];
  const fresh: NumberedRow[] = [];
  await ids.reserve({ [AuditEvents.name]: rows.filter(isNameless).length });
  let next = (last ?? 0) + 1;
  for (const row of rows) {
    const found = stored.get(identity(row));
    if (found === undefined) continue;
    const { published } = requireReadable(OutboxRow, found);
    if (published !== undefined) known.push(...row.events.map((_, index) => published + index));
    else {
      fresh.push({ row, first: next, auditId: isNameless(row) ? await ids.next(AuditEvents) : undefined });
      next += row.events.length;
    }
  }
  // As the feed has them now: they may have been erased since.
  const before = await new UnitOfWork(tenant, system).findAll(
    Feed,
    known.map((sequence) => ({ sequence })),
  );
  const items = fresh.map((one) => itemsOf(tenant, one));
  if (!fresh.some(({ row }) => isNumbered(row))) {
    await write(items);
    return { events: before, keep: async () => {}, release: () => {} };
  }
  const own = randomUUID();
  const opened: Opened = {
    by,
    atMs: now(),
    rows: fresh.map(({ row: { pk, sk }, first, auditId }) => ({ pk, sk, first, ...(auditId && { auditId }) })),
  };
  const { item, refused } = await writeIf({
    key: numbersKey(tenant),
    set: { ...(next > 1 && { last: next - 1 }), round: own, open: opened },
    if: unchanged({ last, round }, open !== undefined),
  });
  if (item === undefined) {
    const now = v.parse(Numbers, refused);
    const isOutrun = now.last !== last || now.round !== round;
    // Others go on: whoever passed these rows over for that would give later ones earlier numbers.
    throw isOutrun ? new Busy('somebody else has given numbers') : new WriteConflict('the numbers cannot be written');
  }
  try {
    await write(items);
  } catch (error) {
    await settle(tenant, own, opened);
    throw error;
  }
  return {
    events: [...before, ...items.flatMap(({ events }) => events)],
    keep: () => settle(tenant, own, opened),
    release: () => {
      if (ended.size >= maxEnded) ended.clear();
      ended.set(tenantKey(tenant), own);
    },
  };
}

/** Whether nothing is left to do of what is open: the rows go when all is done with them. */
async function hasEnded(tenant: Tenant, round: string | undefined, open: Opened): Promise<boolean> {
  if (round !== undefined && ended.get(tenantKey(tenant)) === round) return true;
  return (await readRows(open.rows)).size === 0;
}

/** Each that opens something takes another round, also where what was open before has ended. */
const unchanged = (read: { last: number | undefined; round: string | undefined }, wasOpen: boolean): Condition => ({
  is: Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined)),
  absent: [
    ...(wasOpen ? [] : ['open']),
    ...Object.entries(read).flatMap(([name, value]) => (value === undefined ? [name] : [])),
  ],
});

/** Brings rows that have their numbers into the feed, one by one, and notes the numbers in them. */
async function settle(tenant: Tenant, round: string | undefined, open: Opened): Promise<void> {
  const stored = await readRows(open.rows);
  await Promise.all(
    open.rows.map(async ({ first, auditId, ...place }) => {
      const found = stored.get(identity(place));
      if (found === undefined) return;
      try {
        const row = requireReadable(OutboxRow, found);
        if (row.published !== undefined) return;
        await write([itemsOf(tenant, { row, first, auditId })]);
        const { pk, sk } = place;
        await writeIf({ key: { pk, sk }, set: { published: first }, if: { present: ['pk'], absent: ['published'] } });
      } catch (error) {
        if (!(error instanceof WriteConflict) && !isPermanent(error)) throw error;
        log().error('an event has lost its number', { tenant: tenantKey(tenant), first, reason: reasonOf(error) });
      }
    }),
  );
  await close(tenant, round);
}

/** Nothing happens where somebody else has done so. */
async function close(tenant: Tenant, round: string | undefined): Promise<void> {
  await writeIf({ key: numbersKey(tenant), remove: ['open'], if: { is: { round }, present: ['open'] } });
}

interface Items {
  events: FeedEvent[];
  feed: Row[];
  audit: Row[];
}

/** Returns the items that a row becomes. Throws if the table would refuse one. */
function itemsOf(tenant: Tenant, { row, first, auditId }: NumberedRow): Items {
  const events = feedEvents(tenant, row, first);
  const feed = events.flatMap((event) => freshRows(tenant, Feed, event));
  const entry = row.audit && v.parse(AuditEvents.schema, { id: auditId, ...row.audit, createdAt: row.now });
  const audit = entry ? freshRows(tenant, AuditEvents, entry) : [];
  for (const one of [...feed, ...audit]) requireFit(one);
  return { events, feed, audit };
}

/** May be called again with the same: what stands in the feed, and may have been erased meanwhile, stays as it is. */
async function write(items: readonly Items[]): Promise<void> {
  await Promise.all([putRows(items.flatMap(({ audit }) => audit)), ...items.flatMap(({ feed }) => feed.map(putEvent))]);
}

async function putEvent({ pk, sk, ...item }: Row): Promise<void> {
  const { refused } = await writeIf({ key: { pk, sk }, item, if: { absent: ['pk'] } });
  if (refused && refused['id'] !== item['id']) throw new WriteConflict('another event has the number');
}

function feedEvents(tenant: Tenant, row: OutboxRow, first: number): FeedEvent[] {
  const livemode = tenant.env === 'live';
  return row.events.map(({ kind, id, timestamp, subject, ...stored }, index) => {
    const sequence = first + index;
    const data = v.parse(Data, JSON.parse(stored.data));
    const body = JSON.stringify({ event: kind, id, timestamp, sequence, livemode, data, truncated: stored.truncated });
    return { sequence, event: kind, id, timestamp, subject, committedAt: committedAt(row), body };
  });
}

/** Schema of the data of an event: anything but an object could not be read as an event. */
const Data = v.record(v.string(), v.unknown());

/** An outbox row is sorted by its time. */
const committedAt = ({ sk }: Key) => sk.split('#')[0] as string;
