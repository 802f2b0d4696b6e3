import { expect, inject, test } from 'vitest';
import { verifyWebhook } from '#client/index.ts';
import { started } from '#test/cli/process.ts';
import { eventually } from '#test/client.ts';
import { answers, type Received, startReceiver } from '#test/webhooks/receiver.ts';
import { newWorkspace } from '#test/workspace.ts';

/** Listens with --json until the block ends. */
async function listening(key: string, args: string[], url = inject('baseUrl')) {
  const listener = started(['listen', '--json', ...args], { key, url });
  await listener.says('\n');
  const [ready] = listener.values();
  return Object.assign(listener, { ready, deliveries: () => listener.values().slice(1) });
}

const kindsAt = (received: Received[]) => received.map(({ headers }) => headers['x-svc-event']);

test('events from now on are posted in their order, signed like webhooks, and their answers shown', async () => {
  const { live, liveKey } = await newWorkspace();
  for (let n = 0; n < 7; n += 1) await live.post('/v1/contacts', { name: `before ${n}` });
  await using receiver = await startReceiver(answers(202, 'taken \u001b[31m'));
  await using listen = await listening(liveKey, ['--forward-to', receiver.url]);
  expect(listen.ready).toMatchObject({ type: 'ready', env: 'live', secret: expect.stringMatching(/^whsec_/) });
  const { body: contact } = await live.post('/v1/contacts', { name: 'Ada' });
  await live.patch(`/v1/contacts/${contact.id}`, { company: 'Engines' });
  await eventually(async () => listen.deliveries().length === 2, 'both events');
  const { body: feed } = await live.get('/v1/events', { since: listen.ready.since });
  expect(receiver.received.map(({ body }) => body)).toEqual(feed.items);
  expect(kindsAt(receiver.received)).toEqual(['contact.created', 'contact.updated']);
  for (const { text, headers } of receiver.received)
    expect(verifyWebhook(text, headers, listen.ready.secret)).toEqual(JSON.parse(text));
  expect(listen.deliveries()[0]).toMatchObject({
    type: 'delivery',
    url: `${receiver.url}/`,
    status: 202,
    durationMs: expect.any(Number),
    answer: 'taken \u001b[31m',
    error: null,
    event: { event: 'contact.created', data: { name: 'Ada' } },
  });
  expect(listen.texts.stdout).not.toContain('\u001b');
  expect(await listen.interrupt()).toMatchObject({ code: 0, stderr: '' });
});
