import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { shardOf } from '#lib/table/keys.ts';
import { pages } from '#lib/table/list.ts';
import { type Tenant, tenantKey } from '#lib/tenant.ts';
import { OutboxRow, outboxPrefix } from './outbox.ts';

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
  for (let pauseMs = firstPauseMs; waiting.size > 0 && Date.now() < deadline; pauseMs *= 1.5) {
    await sleep(pauseMs);
    const now = await unpublished(tenant);
    waiting = new Set([...waiting].filter((sk) => now.has(sk)));
  }
}

/** The oldest of them: behind a long queue nobody waits for its end. */
async function unpublished(tenant: Tenant): Promise<Set<string>> {
  const key = tenantKey(tenant);
  for await (const page of pages({ pk: `${outboxPrefix}#${shardOf(key)}`, ascending: true, limit: maxRows })) {
    const rows = page.map((row) => v.parse(OutboxRow, row));
    const own = rows.filter((row) => row.tenant === key && row.published === undefined && row.events.length > 0);
    return new Set(own.map(({ sk }) => sk));
  }
  return new Set();
}
