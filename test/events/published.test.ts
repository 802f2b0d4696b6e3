import { expect, test } from 'vitest';
import { shifted } from '#lib/clock.ts';
import { untilPublished } from '#lib/feed/published.ts';
import { rowKey, shardOf } from '#lib/table/keys.ts';
import { putRows, removeRows } from '#lib/table/rows.ts';
import { type Tenant, tenantKey } from '#lib/tenant.ts';
import { rowsRead } from '#test/rows.ts';
import { newWorkspace } from '#test/workspace.ts';

test('behind a queue of another tenant the own rows are still looked for', async () => {
  const { id: workspaceId } = await newWorkspace();
  const tenant: Tenant = { workspaceId, env: 'live' };
  const shard = shardOf(tenantKey(tenant));
  const now = '2026-01-01T00:00:00Z';
  const others = Array.from({ length: 700 }, (_, index) => ({
    ...rowKey('outbox', { shard, time: `2000-01-01T00:00:00.${index}Z`, transaction: 'other' }),
    // As if they had just been passed over: the publisher leaves them for a minute.
    ...{ tenant: `${2 ** 30}:live`, now, events: 'not yet', tries: 1, triedAt: shifted(new Date(), 0) },
  }));
  try {
    await putRows(others);
    expect(await rowsRead(() => untilPublished(tenant))).toBeGreaterThanOrEqual(others.length);
  } finally {
    await removeRows(others);
  }
});
