import { expect, test } from 'vitest';
import { minuteMs, shifted } from '#lib/core/clock.ts';
import { system, type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { Feed } from '#lib/entities/feed-event.ts';
import { Endpoints } from '#lib/entities/webhook.ts';
import { FanOutRetries, FanOuts } from '#lib/entities/webhook-fan-out.ts';
import { listDead, putBack } from '#lib/table/dead-letter.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { type Client, eventually, everyItem } from '#test/client.ts';
import { advance } from '#test/harness.ts';
import { breakRow } from '#test/table/break-row.ts';
import { newWorkspace } from '#test/workspace.ts';

/** A workspace with endpoints and contacts, all of whose deliveries the publisher has left to the worker, which does not begin yet. */
async function left(endpointCount: number, contactCount: number) {
  const { id: workspaceId, live } = await newWorkspace();
  const tenant: Tenant = { workspaceId, env: 'live' };
  await transact(tenant, system, async (tx) => {
    tx.create(FanOuts, { id: 1, doneTo: 0, upTo: 0, at: shifted(tx.now, 60 * minuteMs) });
  });
  const endpoints: number[] = [];
  for (let index = 0; index < endpointCount; index += 1) {
    const { body } = await live.post('/v1/webhooks', {
      url: `http://127.0.0.1:9/${index}`,
      eventKinds: ['contact.created'],
    });
    endpoints.push(body.id);
  }
  for (let index = 0; index < contactCount; index += 1) await live.post('/v1/contacts', { name: `Contact ${index}` });
  const events = await eventually(async () => {
    const { body } = await live.get('/v1/events', { eventKind: 'contact.created', limit: 100 });
    return body.items.length === contactCount && (body.items as { id: string; sequence: number }[]);
  }, 'the events');
  await eventually(
    async () => (await find(tenant, FanOuts, 1))?.upTo === events.at(-1)?.sequence,
    'the publisher to leave them',
  );
  return { tenant, live, endpoints, events };
}

const find = (tenant: Tenant, of: typeof FanOuts | typeof FanOutRetries, id: number) =>
  new UnitOfWork(tenant, system).find(of as typeof FanOuts, { id: id as 1 });

const eventsOf = async (live: Client, endpointId: number) =>
  (await everyItem(live, `/v1/webhooks/${endpointId}/deliveries`)).map(({ eventId }) => eventId).toReversed();

const begin = (tenant: Tenant) =>
  transact(tenant, system, async (tx) => {
    tx.update(FanOuts, { ...(await tx.get(FanOuts, { id: 1 })), at: tx.now });
  });

const isThrough = (tenant: Tenant) =>
  eventually(async () => (await find(tenant, FanOuts, 1)) === undefined, 'the worker to come to the end');

/** Its last try is due now. */
const tryLast = (tenant: Tenant, id: number) =>
  transact(tenant, system, async (tx) => {
    tx.update(FanOutRetries, { ...(await tx.get(FanOutRetries, { id })), at: tx.now });
  });

const deadOf = async (tenant: Tenant) => (await listDead()).filter(({ tenant: of }) => of === tenantKey(tenant));

test('an event that cannot be read holds up no other, is a dead letter, and is given once it is put back', async () => {
  const { tenant, live, endpoints, events } = await left(1, 4);
  const [endpointId = 0] = endpoints;
  const [first, bad, ...others] = events;
  const sequence = Number(bad?.sequence);
  const mend = await breakRow(tenant, Feed, { sequence }, 'body');
  await begin(tenant);
  await isThrough(tenant);
  const readable = [first, ...others].map((event) => event?.id);
  expect(await eventsOf(live, endpointId)).toEqual(readable);
  expect(await deadOf(tenant)).toEqual([]);

  await tryLast(tenant, sequence);
  const [head] = await eventually(async () => {
    const found = await deadOf(tenant);
    return found.length > 0 && found;
  }, 'it to be a dead letter');
  expect(head?.reason).toBe('ValiError');
  await mend();
  expect(await putBack(String(head?.id))).toBe(true);
  await advance(minuteMs);
  await eventually(async () => (await find(tenant, FanOutRetries, sequence)) === undefined, 'it to be done');
  expect((await eventsOf(live, endpointId)).sort()).toEqual(events.map(({ id }) => id).sort());
});

test('an endpoint that cannot be read holds up none of the others, and has what it missed once it can be', async () => {
  const { tenant, live, endpoints, events } = await left(2, 3);
  const [badId = 0, goodId = 0] = endpoints;
  const mend = await breakRow(tenant, Endpoints, { id: badId }, 'url');
  await begin(tenant);
  await isThrough(tenant);
  expect(await eventsOf(live, goodId)).toEqual(events.map(({ id }) => id));
  await mend();
  expect(await eventsOf(live, badId)).toEqual([]);
  for (const { sequence } of events) await tryLast(tenant, sequence);
  await eventually(
    async () => (await eventsOf(live, badId)).length === events.length && (await eventsOf(live, badId)),
    'what it missed',
  );
  expect(await deadOf(tenant)).toEqual([]);
});
