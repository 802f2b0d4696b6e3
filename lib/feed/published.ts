import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { identity, type Key, rowPartition, shardOf } from '#lib/table/keys.ts';
import { OutboxRow } from '#lib/table/outbox.ts';
import { pages } from '#lib/table/pages.ts';
import { type Row, readRows } from '#lib/table/rows.ts';
import { type Tenant, tenantKey } from '#lib/tenant.ts';

const publishingMs = 2_000;
const maxRows = 500;
const firstPauseMs = 25;

/**
 * Waits until what a tenant has committed so far is in its feed, so that who reads the feed sees what was answered before; two
 * seconds at most.
 */
export async function untilPublished(tenant: Tenant): Promise<void> {
  const deadline = Date.now() + publishingMs;
  let waiting = await unpublished(tenant);
  for (let pauseMs = firstPauseMs; waiting.length > 0 && Date.now() < deadline; pauseMs *= 1.5) {
    await sleep(pauseMs);
    const rows = await readRows(waiting);
    waiting = waiting.filter((key) => isAwaited(rows.get(identity(key))));
  }
}

/** The oldest of them: behind a long queue nobody waits for its end. The partition holds the rows of other tenants, too. */
async function unpublished(tenant: Tenant): Promise<Key[]> {
  const key = tenantKey(tenant);
  for await (const page of pages({
    pk: rowPartition('outbox', { shard: shardOf(key) }),
    ascending: true,
    limit: maxRows,
  }))
    return page.filter((row) => row['tenant'] === key && isAwaited(row)) as Row[];
  return [];
}

/** Nobody waits for a row that the publisher has passed over (its first try may be under way), or that a newer version has to read. */
function isAwaited(row: Record<string, unknown> | undefined): boolean {
  const { success, output } = v.safeParse(OutboxRow, row);
  return success && output.published === undefined && (output.tries ?? 0) < 2 && output.events.length > 0;
}
