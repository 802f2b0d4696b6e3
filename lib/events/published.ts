import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { shardOf } from '#lib/table/keys.ts';
import { pages } from '#lib/table/list.ts';
import { type Tenant, tenantKey } from '#lib/tenant.ts';
import { OutboxRow, outboxPrefix } from './outbox.ts';

const publishingMs = 2_000;
const pauseMs = 25;

/**
 * Waits until what a tenant has committed so far is in its feed, so that who reads the feed sees what was answered before; two
 * seconds at most.
 */
export async function untilPublished(tenant: Tenant): Promise<void> {
  const deadline = Date.now() + publishingMs;
  let waiting = await unpublished(tenant);
  while (waiting.size > 0 && Date.now() < deadline) {
    await sleep(pauseMs);
    const now = await unpublished(tenant);
    waiting = new Set([...waiting].filter((sk) => now.has(sk)));
  }
}

async function unpublished(tenant: Tenant): Promise<Set<string>> {
  const key = tenantKey(tenant);
  const found = new Set<string>();
  for await (const page of pages({ pk: `${outboxPrefix}#${shardOf(key)}`, ascending: true })) {
    for (const row of page) {
      const { sk, tenant: of, published, events } = v.parse(OutboxRow, row);
      if (of === key && published === undefined && events.length > 0) found.add(sk);
    }
  }
  return found;
}
