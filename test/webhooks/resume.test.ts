import { expect, test } from 'vitest';
import { now } from '#lib/core/clock.ts';
import { system } from '#lib/core/tenant.ts';
import { Healths } from '#lib/entities/webhook-health.ts';
import { transact } from '#lib/table/transact.ts';
import { eventually } from '#test/client.ts';
import { advance, settle } from '#test/harness.ts';
import { startReceiver } from '#test/webhooks/receiver.ts';
import { newWorkspace } from '#test/workspace.ts';

const hour = 3_600_000;

/** An endpoint whose deliveries have failed so often that nothing is sent for an hour. */
async function paused(url: string) {
  const { id: workspaceId, live } = await newWorkspace();
  const { body } = await live.post('/v1/webhooks', { url, eventKinds: ['contact.created'] }, 201);
  expect(body.pausedUntil).toBeNull();
  await transact({ workspaceId, env: 'live' }, system, async (tx) =>
    tx.update(Healths, {
      ...(await tx.get(Healths, { id: body.id })),
      ...{ consecutiveFailures: 12, openings: 2, openUntilMs: now() + hour },
    }),
  );
  await live.post('/v1/contacts', { name: 'Waiting' }, 201);
  await settle();
  const path = `/v1/webhooks/${body.id}`;
  expect(Date.parse((await live.get(path)).body.pausedUntil)).toBeGreaterThan(now());
  return { live, path };
}

test.each(['resume', 'test'])('the pause of an endpoint ends with POST …/%s, and what waits is sent', async (verb) => {
  await using receiver = await startReceiver();
  const { live, path } = await paused(receiver.url);
  expect(receiver.received).toEqual([]);
  await live.post(`${path}/${verb}`, {}, 200);
  expect((await live.get(path)).body).toMatchObject({ pausedUntil: null, status: 'healthy', consecutiveFailures: 0 });
  await settle();
  const kinds = () => receiver.received.map(({ body }) => body.event);
  await eventually(async () => kinds().includes('contact.created'), 'the delivery');
});

test.each([
  ['resume', 1],
  ['resume', 12],
  ['test', 12],
])('deliveries that failed before are sent after POST …/%s when %i attempts have failed', async (verb, failures) => {
  let status = 503;
  await using receiver = await startReceiver((_, response) => {
    response.writeHead(status, { 'retry-after': '3600' });
    response.end();
  });
  const { live } = await newWorkspace();
  const { body: endpoint } = await live.post(
    '/v1/webhooks',
    { url: receiver.url, eventKinds: ['contact.created'] },
    201,
  );
  const path = `/v1/webhooks/${endpoint.id}`;
  for (let count = 0; count < failures; count += 1) await live.post('/v1/contacts', { name: `Waiting ${count}` }, 201);
  await settle();
  const statuses = async () =>
    (await live.get(`${path}/deliveries`)).body.items.map((one: { status: string }) => one.status);
  expect(await statuses()).toContain('retrying');
  status = 200;
  await live.post(`${path}/${verb}`, {}, 200);
  await advance(3_000);
  expect(new Set(await statuses())).toEqual(new Set(['succeeded']));
});

test('a delivery that fails again after a resume waits as long as after any failure', async () => {
  await using receiver = await startReceiver((_, response) => {
    response.writeHead(503, { 'retry-after': '3600' });
    response.end();
  });
  const { live } = await newWorkspace();
  const { body: endpoint } = await live.post(
    '/v1/webhooks',
    { url: receiver.url, eventKinds: ['contact.created'] },
    201,
  );
  await live.post('/v1/contacts', { name: 'Waiting' }, 201);
  await settle();
  await live.post(`/v1/webhooks/${endpoint.id}/resume`, {}, 200);
  await advance(10_000);
  const [delivery] = (await live.get(`/v1/webhooks/${endpoint.id}/deliveries`)).body.items;
  expect([delivery.status, delivery.attemptCount]).toEqual(['retrying', 2]);
  expect(Date.parse(delivery.nextAttemptAt)).toBeGreaterThan(now() + 10_000);
});

test('a test that fails ends no pause', async () => {
  await using receiver = await startReceiver((_, response) => {
    response.statusCode = 500;
    response.end();
  });
  const { live, path } = await paused(receiver.url);
  await live.post(`${path}/test`, {}, 200);
  expect((await live.get(path)).body).toMatchObject({ pausedUntil: expect.any(String), consecutiveFailures: 12 });
});

test('resuming an endpoint that is not paused changes nothing, and one that is not there is 404', async () => {
  await using receiver = await startReceiver();
  const { live } = await newWorkspace();
  const { body } = await live.post('/v1/webhooks', { url: receiver.url }, 201);
  const { secret: _, ...endpoint } = body;
  expect((await live.post(`/v1/webhooks/${body.id}/resume`, {}, 200)).body).toEqual(endpoint);
  await live.post('/v1/webhooks/999/resume', {}, 404);
});

test('deliveries that wait for their next attempt have failed when the endpoint is disabled', async () => {
  await using receiver = await startReceiver((_, response) => {
    response.writeHead(503, { 'retry-after': '3600' });
    response.end();
  });
  const { live } = await newWorkspace();
  const { body: endpoint } = await live.post(
    '/v1/webhooks',
    { url: receiver.url, eventKinds: ['contact.created'] },
    201,
  );
  const path = `/v1/webhooks/${endpoint.id}`;
  await live.post('/v1/contacts', { name: 'Waiting' }, 201);
  await settle();
  await live.patch(path, { isActive: false }, 200);
  await advance(3_000);
  const [waiting] = (await live.get(`${path}/deliveries`)).body.items;
  expect(waiting).toMatchObject({ status: 'failed', attemptCount: 1, nextAttemptAt: null });
  await live.post(`${path}/deliveries/${waiting.deliveryId}/replay`, {}, 202);
  await advance(3_000);
  const statuses = (await live.get(`${path}/deliveries`)).body.items.map((one: { status: string }) => one.status);
  expect(statuses).toEqual(['skipped', 'failed']);
});
