import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { identity, type Key, rowPartition, shardOf } from '#lib/table/keys.ts';
import { OutboxRow } from '#lib/table/outbox.ts';
import { pages } from '#lib/table/pages.ts';
import { readRows } from '#lib/table/rows.ts';
import { type Tenant, tenantKey } from '#lib/tenant.ts';

const publishingMs = 2_000;
const maxRows = 500;
/** Of all tenants of the partition. */
const maxLooked = 20 * maxRows;
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

/** What a tenant has committed and the feed does not have yet, to ask again by `stillUnpublished`. */
export const unpublishedNow = async (tenant: Tenant): Promise<string[]> =>
  (await unpublished(tenant)).map(({ sk }) => sk);

/** Those of them that the feed still does not have. */
export async function stillUnpublished(tenant: Tenant, places: readonly string[]): Promise<string[]> {
  const pk = rowPartition('outbox', { shard: shardOf('outbox', tenantKey(tenant)) });
  const rows = await readRows(places.map((sk) => ({ pk, sk })));
  return places.filter((sk) => isAwaited(rows.get(identity({ pk, sk }))));
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

/** Nobody waits for a row that the publisher has passed over (its first try may be under way), or that a newer version has to read. */
function isAwaited(row: Record<string, unknown> | undefined): boolean {
  const { success, output } = v.safeParse(OutboxRow, row);
  return success && output.published === undefined && (output.tries ?? 0) < 2 && output.events.length > 0;
}
