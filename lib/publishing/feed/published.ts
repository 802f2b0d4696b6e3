import * as v from 'valibot';
import { now, sleep } from '#lib/core/clock.ts';
import { type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { Feed } from '#lib/entities/feed-event.ts';
import { isDead } from '#lib/table/dead-letter.ts';
import { keyOf } from '#lib/table/entity.ts';
import { identity, type Key, rowPartition, shardOf } from '#lib/table/keys.ts';
import { OutboxRow } from '#lib/table/outbox.ts';
import { isSpent, type Meter, pages } from '#lib/table/pages.ts';
import { type Row, readRows } from '#lib/table/rows.ts';
import { Numbers, numbersKey } from './numbers.ts';

const publishingMs = 2_000;
const maxRows = 500;
/** Limit for the rows of all tenants of the partition. */
const maxLooked = 20 * maxRows;
const firstPauseMs = 25;

/**
 * Waits until what a tenant has committed so far is in its feed, so that who reads the feed sees what was answered before; two
 * seconds at most, and no longer than the meter lasts.
 */
export async function untilPublished(tenant: Tenant, meter: Meter): Promise<void> {
  const deadline = now() + publishingMs;
  let waiting = await unpublished(tenant);
  for (let pauseMs = firstPauseMs; waiting.length > 0 && now() < deadline && !isSpent(meter); pauseMs *= 1.5) {
    await sleep(pauseMs);
    const rows = await readRows([numbersKey(tenant), ...waiting]);
    waiting = waiting.filter((key) => isAwaited(rows.get(identity(key))));
    waiting = await missing(tenant, waiting, rows);
  }
}

/** Returns the rows whose events are not all in the feed. A numbered row stays until its deliveries are made. */
async function missing(tenant: Tenant, waiting: readonly Key[], rows: ReadonlyMap<string, Row>): Promise<Key[]> {
  const { open } = v.parse(Numbers, rows.get(identity(numbersKey(tenant))));
  const firsts = new Map(open?.rows.map((row) => [identity(row), row.first]));
  const events = (key: Key): Key[] => {
    const [first, given] = [firsts.get(identity(key)), rows.get(identity(key))?.['events']];
    if (first === undefined || !Array.isArray(given)) return [];
    return given.map((_, index) => keyOf(tenant, Feed, { sequence: first + index }));
  };
  const found = await readRows(waiting.flatMap(events));
  return waiting.filter((key) => {
    const own = events(key);
    return own.length === 0 || own.some((event) => !found.has(identity(event)));
  });
}

/**
 * The place of the last row of a tenant's outbox, as far as one is named, whose events are not in the feed and may still come there:
 * a dead letter is none of them. Undefined where there is none. Reads all that waits.
 */
export async function lastUnpublished(tenant: Tenant, upTo?: string): Promise<string | undefined> {
  const key = tenantKey(tenant);
  let last: string | undefined;
  for await (const page of pages({ pk: rowPartition('outbox', { shard: shardOf('outbox', key) }), ascending: true })) {
    for (const row of page) {
      if (upTo !== undefined && row.sk > upTo) return last;
      if (row['tenant'] === key && row['published'] === undefined && !isDead(row)) last = row.sk;
    }
  }
  return last;
}

/** The oldest of them: behind a long queue nobody waits for its end. The partition holds the rows of other tenants, too. */
async function unpublished(tenant: Tenant): Promise<Key[]> {
  const key = tenantKey(tenant);
  const own: Key[] = [];
  let looked = 0;
  for await (const page of pages({
    pk: rowPartition('outbox', { shard: shardOf('outbox', key) }),
    ascending: true,
    limit: maxRows,
  })) {
    own.push(...page.filter((row) => row['tenant'] === key && isAwaited(row)));
    looked += page.length;
    if (own.length >= maxRows || looked >= maxLooked) break;
  }
  return own;
}

/** Nobody waits for a row that has failed, or that a newer version has to read. */
function isAwaited(row: Record<string, unknown> | undefined): boolean {
  const { success, output } = v.safeParse(OutboxRow, row);
  return success && output.published === undefined && output.tries === undefined && output.events.length > 0;
}
