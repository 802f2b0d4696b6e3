import { secondMs } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import { parseTenantKey, type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { putOnBus } from '#lib/publishing/bus.ts';
import { fanOut, type Room } from '#lib/publishing/fan-out.ts';
import { isContention } from '#lib/table/change.ts';
import { countFailure, isPermanent, requireReadable } from '#lib/table/dead-letter.ts';
import { IdPool } from '#lib/table/ids.ts';
import { identity, type Key } from '#lib/table/keys.ts';
import { OutboxRow } from '#lib/table/outbox.ts';
import { removeRows } from '#lib/table/rows.ts';
import { untilFirst, within } from '#lib/table/transact.ts';
import { number } from './numbering.ts';

/** Events and rows that get their numbers together. */
const maxWeight = 200;
/** Limit for the deliveries of a tenant in one call. A worker makes the rest, so that other tenants do not wait. */
const maxDeliveries = 200;
const weightOf = (row: OutboxRow) => row.events.length + 1;
/** Limit for retrying a conflict: only a sweep also numbers a tenant's events, so a longer conflict does not pass. */
const numberingMs = 2 * secondMs;
const maxChunkBytes = 2_000_000;
const bytesOf = (row: OutboxRow) => row.events.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0);

/**
 * Gives the events of outbox rows their sequence, in the order given, writes them to the feed, makes one delivery per
 * subscribed endpoint and puts them on the event bus, then removes the rows. May be called again with the same rows at any point: what is done stays done.
 * The others of its tenant go on without a row that fails for a reason of its own. A tenant that meets nothing but conflicts holds up
 * no other: its rows wait for the next sweep, as do those of the tenants in `contending`, to which it is added. Returns the rows that
 * are left for another reason that may pass.
 */
export async function publish<Stored extends Key>(
  stored: readonly Stored[],
  contending: Set<string> = new Set(),
): Promise<Stored[]> {
  const rows: OutboxRow[] = [];
  const failures: Promise<void>[] = [];
  for (const row of stored) {
    try {
      rows.push(requireReadable(OutboxRow, row));
    } catch (error) {
      failures.push(countFailure(row, error));
    }
  }
  const byTenant = Map.groupBy(rows, (row) => row.tenant);
  const left = await Promise.all(
    [...byTenant].map(([key, own]) => publishTenant(parseTenantKey(key), own, contending)),
  );
  await Promise.all(failures);
  const places = new Set(left.flat().map(identity));
  return stored.filter((row) => places.has(identity(row)));
}

/** Returns what is left: all from the first row on whose reason may pass, so that the order stays. */
async function publishTenant(
  tenant: Tenant,
  rows: readonly OutboxRow[],
  contending: Set<string>,
): Promise<readonly OutboxRow[]> {
  const key = tenantKey(tenant);
  if (contending.has(key)) return [];
  let done = 0;
  const room = { deliveries: maxDeliveries };
  try {
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
    contending.add(key);
  }
  return [];
}

/** Returns false, with nothing lost, when one of them has a reason of its own to fail. */
async function publishTogether(tenant: Tenant, chunk: readonly OutboxRow[], room: Room): Promise<boolean> {
  try {
    await publishChunk(tenant, chunk, room);
    return true;
  } catch (error) {
    if (isPermanent(error)) return false;
    throw error;
  }
}

async function publishAlone(tenant: Tenant, row: OutboxRow, room: Room): Promise<void> {
  try {
    await publishChunk(tenant, [row], room);
  } catch (error) {
    if (!isPermanent(error)) throw error;
    await countFailure(row, error);
  }
}

async function publishChunk(tenant: Tenant, rows: readonly OutboxRow[], room: Room): Promise<void> {
  const ids = new IdPool(tenant);
  const numbers = await untilFirst(() => number(tenant, rows, ids), within(numberingMs));
  try {
    await fanOut(tenant, numbers.events, room);
    await putOnBus(tenant, numbers.events);
    // If rows are left, the sweeper finds them and sees that they are published.
    await removeRows(rows);
  } catch (error) {
    await numbers.keep();
    throw error;
  }
  numbers.release();
}

function* chunksOf(rows: readonly OutboxRow[]): Generator<OutboxRow[]> {
  let chunk: OutboxRow[] = [];
  let weight = 0;
  let bytes = 0;
  for (const row of rows) {
    const isFull = weight + weightOf(row) > maxWeight || bytes + bytesOf(row) > maxChunkBytes;
    if (chunk.length > 0 && isFull) {
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
