import '#test/faults/names.ts';
import { expect, test } from 'vitest';
import { minuteMs } from '#lib/core/clock.ts';
import { advance, settle } from '#test/harness.ts';
import { newWorkspace } from '#test/workspace.ts';

test('a failure of our own resolver does not count against the endpoint', async () => {
  const { live } = await newWorkspace();
  // Nobody listens at port 1.
  const url = 'http://hooks.p1.example.com/hook';
  const { body: endpoint } = await live.post('/v1/webhooks', { url, eventKinds: ['contact.created'] }, 201);
  const path = `/v1/webhooks/${endpoint.id}`;
  await live.post('/v1/contacts', { name: 'Ada' }, 201);
  await settle();
  await advance(minuteMs);
  const [delivery] = (await live.get(`${path}/deliveries`)).body.items;
  expect(delivery).toMatchObject({ status: 'retrying', error: 'the attempt failed on our side' });
  expect(delivery.attemptCount).toBeGreaterThan(1);
  expect((await live.get(path)).body).toMatchObject({ status: 'healthy', consecutiveFailures: 0 });
  await live.post(`${path}/test`, {}, 503);
});
