import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { operator, system, type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { eventKinds } from '#lib/events/kinds.ts';
import { readFeed } from '#lib/publishing/feed/feed.ts';
import { shardOf } from '#lib/table/keys.ts';
import { outboxItems } from '#lib/table/outbox.ts';
import { putRows, type Row } from '#lib/table/rows.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { between } from '#test/between.ts';
import { everyItem } from '#test/client.ts';
import { settle } from '#test/harness.ts';
import { newWorkspace } from '#test/workspace.ts';

const endpointCount = 5;

/** One whose outbox rows lie in the same partition, so that the stream hands them over one after the other. */
function neighbourOf(tenant: Tenant): Tenant {
  const shard = shardOf('outbox', tenantKey(tenant));
  for (let workspaceId = 1_000_000_000; ; workspaceId += 1) {
    const other: Tenant = { workspaceId, env: 'live' };
    if (shardOf('outbox', tenantKey(other)) === shard) return other;
  }
}

const feedOf = async (tenant: Tenant) => (await readFeed(new UnitOfWork(tenant, system), 0, 1_000)).items;

test('events are published while another tenant’s many deliveries are made, in order', async () => {
  const { id: workspaceId, live } = await newWorkspace();
  const tenant: Tenant = { workspaceId, env: 'live' };
  const paths: string[] = [];
  for (let index = 0; index < endpointCount; index += 1) {
    const { body } = await live.post('/v1/webhooks', {
      url: `http://127.0.0.1:9/${index}`,
      eventKinds: ['contact.created'],
    });
    paths.push(`/v1/webhooks/${body.id}`);
    // What is made for it is stored as skipped.
    await live.patch(paths[index] as string, { isActive: false }, 200);
  }
  const items = Array.from({ length: 100 }, (_, index) => ({ op: 'create', name: `Flood ${index}` }));
  expect((await live.post('/v1/contacts/batch', { items })).body.succeeded).toBe(100);

  const neighbour = neighbourOf(tenant);
  const event = {
    kind: 'contact.created' as const,
    subject: 'contact/1',
    data: eventKinds['contact.created'].example,
    timestamp: '2026-11-22T10:00:00Z',
  };
  await putRows(outboxItems(neighbour, randomUUID(), event.timestamp, operator, [event], undefined) as Row[]);
  let madeBefore: number | undefined;
  const watching: Parameters<typeof between>[0] = async ({ operation, input }, next) => {
    const isOfNeighbour = operation === 'PutItem' && JSON.stringify(input).includes(`"${tenantKey(neighbour)}#event"`);
    if (isOfNeighbour) madeBefore ??= (await everyItem(live, `${paths.at(-1)}/deliveries`, { limit: 100 })).length;
    return next();
  };
  await between(watching, settle);
  expect(madeBefore).toBeLessThan(100);
  expect((await feedOf(neighbour)).length).toBe(1);

  await live.post('/v1/contacts', { name: 'Last' }, 201);
  await settle();
  const created = (await feedOf(tenant)).filter(({ event: kind }) => kind === 'contact.created').map(({ id }) => id);
  expect(created).toHaveLength(101);
  for (const path of paths) {
    const deliveries = await everyItem(live, `${path}/deliveries`, { limit: 100 });
    expect(deliveries.map(({ eventId }) => eventId).toReversed()).toEqual(created);
  }
});
