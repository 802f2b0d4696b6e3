import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { timestamp } from '#lib/core/clock.ts';
import { operator, system, type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { AuditEvents } from '#lib/entities/audit-event.ts';
import { eventKinds } from '#lib/events/kinds.ts';
import { lastUnpublished, untilPublished } from '#lib/publishing/feed/published.ts';
import { publish } from '#lib/publishing/publish.ts';
import { bury } from '#lib/table/dead-letter.ts';
import { rowKey, shardOf } from '#lib/table/keys.ts';
import { outboxItems } from '#lib/table/outbox.ts';
import { newMeter } from '#lib/table/pages.ts';
import { putRows, type Row, readRows, removeRows } from '#lib/table/rows.ts';
import { transact } from '#lib/table/transact.ts';
import { type Client, eventually } from '#test/client.ts';
import { dyingAfter } from '#test/crash.ts';
import { rowsRead } from '#test/rows.ts';
import { newWorkspace } from '#test/workspace.ts';

test('behind a queue of another tenant the own rows are still looked for', async () => {
  const { id: workspaceId } = await newWorkspace();
  const tenant: Tenant = { workspaceId, env: 'live' };
  const shard = shardOf('outbox', tenantKey(tenant));
  const now = '2026-01-01T00:00:00Z';
  const others = Array.from({ length: 700 }, (_, index) => ({
    ...rowKey('outbox', { shard, time: `2000-01-01T00:00:00.${index}Z`, transaction: 'other' }),
    ...{ tenant: `${2 ** 30}:live`, now, events: 'not yet' },
  }));
  try {
    await putRows(others);
    expect(await rowsRead(() => untilPublished(tenant, newMeter()))).toBeGreaterThanOrEqual(others.length);
  } finally {
    await removeRows(others);
  }
});

test('an erasure waits for whatever has yet to become an event: behind hundreds, and where it has failed', async () => {
  const { id: workspaceId } = await newWorkspace();
  const tenant: Tenant = { workspaceId, env: 'live' };
  await eventually(async () => (await lastUnpublished(tenant)) === undefined, 'the event of its key');
  const shard = shardOf('outbox', tenantKey(tenant));
  const placeOf = (index: number) =>
    rowKey('outbox', { shard, time: `2000-01-01T00:00:00.${String(index).padStart(3, '0')}Z`, transaction: 'own' });
  const failed = { tenant: tenantKey(tenant), events: 'not yet', tries: 2 };
  const rows = Array.from({ length: 600 }, (_, index) => ({ ...placeOf(index), ...failed }));
  try {
    await putRows(rows);
    expect(await lastUnpublished(tenant)).toBe(placeOf(599).sk);
    expect(await lastUnpublished(tenant, placeOf(300).sk)).toBe(placeOf(300).sk);
    await putRows(rows.slice(1).map((row) => ({ ...row, published: 1 })));
    expect(await lastUnpublished(tenant, placeOf(300).sk)).toBe(placeOf(0).sk);
    // A dead letter may never be published.
    await bury(placeOf(0), new Error('a reason'));
    expect(await lastUnpublished(tenant, placeOf(300).sk)).toBeUndefined();
  } finally {
    await removeRows(rows);
  }
  expect(await lastUnpublished(tenant, placeOf(599).sk)).toBeUndefined();
});

/** Each is met by the publisher once, which can do nothing with it and does no more. */
async function untouched(rows: readonly Row[]): Promise<Row[]> {
  const later = rows.map((row) => ({ ...row, sk: row.sk.replace(/^[^#]+/, '2099-01-01T00:00:00.000Z') }));
  await putRows(later.map((row) => ({ ...row, events: 'not yet' })));
  const areMet = async () => [...(await readRows(later)).values()].every((row) => row['tries'] === 1);
  await eventually(areMet, 'the publisher to meet them');
  await putRows(later);
  return later;
}

const listed = async (client: Client, path: string): Promise<Row[]> => (await client.get(path)).body.items;

test('a publication cut short at any write is completed once, with its events and audit entries', async () => {
  const { id: workspaceId, live } = await newWorkspace();
  const tenant: Tenant = { workspaceId, env: 'live' };
  const now = timestamp();
  let isAlive = false;
  let deaths = 0;
  for (; !isAlive; deaths += 1) {
    const name = `${deaths}-${randomUUID()}`;
    const event = {
      kind: 'contact.created' as const,
      subject: 'contact/1',
      data: { ...eventKinds['contact.created'].example, contact_id: name },
      timestamp: now,
    };
    const id = await transact(tenant, system, (tx) => tx.nextId(AuditEvents));
    const entry = { keyId: 'k', method: 'POST', path: '/', status: 201, ip: '127.0.0.1', userAgent: null };
    const audit = (which: string) => ({
      ...entry,
      requestId: `${name} ${which}`,
      resourceType: 'contact',
      resourceId: null,
    });
    const rowOf = (events: (typeof event)[], own: Record<string, unknown>) =>
      outboxItems(tenant, randomUUID(), now, operator, events, own)[0] as Row;
    const rows = await untouched([
      rowOf([event], { ...audit('with its id'), id }),
      rowOf([event], audit('without')),
      rowOf([], { ...audit('alone'), id: await transact(tenant, system, (tx) => tx.nextId(AuditEvents)) }),
    ]);
    isAlive = await dyingAfter(deaths, () => publish(rows), /Write|Put|Update/);
    expect(await publish(rows)).toEqual([]);
    expect(await readRows(rows)).toEqual(new Map());
    const entries = await listed(live, '/v1/audit-events?keyId=k&method=post&limit=10');
    const own = entries.flatMap(({ requestId }) => (String(requestId).startsWith(name) ? [requestId] : []));
    expect(own.toSorted()).toEqual([`${name} alone`, `${name} with its id`, `${name} without`]);
    const events = await listed(live, '/v1/events?limit=100');
    expect(events.filter(({ data }) => (data as typeof event.data).contact_id === name)).toHaveLength(2);
    const sequences = events.map(({ sequence }) => Number(sequence));
    expect(sequences).toEqual(sequences.map((_, index) => (sequences[0] as number) + index));
  }
  expect(deaths).toBeGreaterThan(3);
});
