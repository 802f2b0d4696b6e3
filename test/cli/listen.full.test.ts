import { describe, expect, test } from 'vitest';
import { verifyWebhook } from '#client/index.ts';
import { crm, hasTerminals, onTerminal, started } from '#test/cli/process.ts';
import { startBetween } from '#test/client/between.ts';
import { eventually } from '#test/client.ts';
import { place } from '#test/place.ts';
import { answers, type Received, startReceiver } from '#test/webhooks/receiver.ts';
import { newWorkspace } from '#test/workspace.ts';

/** Listens with --json until the block ends. */
async function listening(key: string, args: string[], url = place('baseUrl')) {
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

test('a forwarded event has the headers and the text of a delivery by the API', async () => {
  const { live, liveKey } = await newWorkspace();
  await using receiver = await startReceiver();
  const { body: endpoint } = await live.post('/v1/webhooks', { url: receiver.url, eventKinds: ['contact.created'] });
  await using listen = await listening(liveKey, ['--forward-to', receiver.url, '--secret', endpoint.secret]);
  await live.post('/v1/contacts', { name: 'Ada 漢 😀' });
  await eventually(async () => receiver.received.length === 2, 'both');
  const [one, other] = receiver.received as [Received, Received];
  expect(other.text).toBe(one.text);
  const own = (headers: Received['headers']) => Object.keys(headers).filter((name) => /^(x-svc|webhook)-/.test(name));
  expect(own(other.headers).toSorted()).toEqual(own(one.headers).toSorted());
  for (const { text, headers } of receiver.received) verifyWebhook(text, headers, listen.ready.secret);
  // The two are made at different times at most by their seconds.
  if (one.headers['x-svc-timestamp'] === other.headers['x-svc-timestamp'])
    expect(other.headers['x-svc-signature']).toBe(one.headers['x-svc-signature']);
  expect(other.headers['x-svc-signature']).toMatch(/^sha256=[0-9a-f]{64}$/);
});

test('kinds can be chosen, and have addresses of their own', async () => {
  const { live, liveKey } = await newWorkspace();
  await using receiver = await startReceiver();
  const { host } = new URL(receiver.url);
  const args = [
    '--events',
    'contact.*, task.created',
    '--map',
    `contact.updated=${host}/updates`,
    '--forward-to',
    host,
  ];
  await using listen = await listening(liveKey, args);
  const { body: contact } = await live.post('/v1/contacts', { name: 'Ada' });
  await live.post('/v1/deals', { title: 'unwanted' });
  await live.patch(`/v1/contacts/${contact.id}`, { company: 'Engines' });
  await live.post('/v1/tasks', { title: 'last' });
  await eventually(async () => listen.deliveries().length === 3, 'three events');
  expect(listen.deliveries().map(({ event, url }) => [event.event, new URL(url).pathname])).toEqual([
    ['contact.created', '/'],
    ['contact.updated', '/updates'],
    ['task.created', '/'],
  ]);
});

test('a receiver that is away, redirects or fails is shown, and the next event is still sent', async () => {
  const { live, liveKey } = await newWorkspace();
  const url = await (async () => {
    await using gone = await startReceiver();
    return gone.url;
  })();
  await using receiver = await startReceiver((_, response, index) =>
    index === 1 ? response.writeHead(302, { location: '/elsewhere' }).end() : response.writeHead(500).end('no'),
  );
  await using listen = await listening(liveKey, ['--forward-to', receiver.url, '--map', `deal.created=${url}`]);
  await live.post('/v1/deals', { title: 'to nobody' });
  await live.post('/v1/tasks', { title: 'redirected' });
  await live.post('/v1/tasks', { title: 'failing' });
  await eventually(async () => listen.deliveries().length === 3, 'three events');
  expect(listen.deliveries().map(({ status, error, answer }) => [status, error, answer])).toEqual([
    [null, 'ECONNREFUSED', ''],
    [302, null, ''],
    [500, null, 'no'],
  ]);
  expect(receiver.received).toHaveLength(2);
});

test('replays of the registered endpoints and tests of them come too, once', async () => {
  const { live, liveKey } = await newWorkspace();
  await using endpoint = await startReceiver();
  await using receiver = await startReceiver();
  const { body: registered } = await live.post('/v1/webhooks', { url: endpoint.url, eventKinds: ['task.created'] });
  await live.post('/v1/tasks', { title: 'before' });
  const deliveries = `/v1/webhooks/${registered.id}/deliveries`;
  const before = await eventually(async () => {
    const [delivery] = (await live.get(deliveries)).body.items;
    return delivery?.status === 'succeeded' && delivery;
  }, 'the delivery');
  await using listen = await listening(liveKey, ['--forward-to', receiver.url]);
  await live.post('/v1/tasks', { title: 'first' });
  await live.post(`${deliveries}/${before.id}/replay`, undefined, 202);
  await live.post(`/v1/webhooks/${registered.id}/test`, {});
  await eventually(async () => listen.deliveries().length === 3, 'all three');
  const shown = listen.deliveries().map(({ event, replayOf }) => [event.event, event.data.title ?? '', replayOf]);
  expect(shown.toSorted()).toEqual([
    ['task.created', 'before', before.deliveryId],
    ['task.created', 'first', null],
    ['webhook.test', '', null],
  ]);
  const replayed = receiver.received.find(({ body }) => body.data.title === 'before');
  expect(replayed?.headers['x-svc-replay-of']).toBe(before.deliveryId);
});

test('it resumes where it was when the API returns, and ends when the key is refused', async () => {
  const workspace = await newWorkspace();
  const { key, keyId } = await workspace.mint({ scopes: ['webhooks:read'] });
  await using between = await startBetween();
  await using receiver = await startReceiver();
  await using listen = await listening(key, ['--forward-to', receiver.url], between.url);
  between.next('is lost', 'is lost', {
    status: 503,
    body: { error: 'internal_error', message: 'Later', details: null },
  });
  await listen.says('trying again');
  await workspace.live.post('/v1/contacts', { name: 'while away' });
  await listen.says('the API is back');
  await eventually(async () => listen.deliveries().length === 1, 'the event');
  const { body: keys } = await workspace.live.get('/v1/keys');
  const { id } = keys.items.find((one: { keyId: string }) => one.keyId === keyId);
  await workspace.live.delete(`/v1/keys/${id}`);
  const { code, stderr } = await listen.end;
  expect([code, JSON.parse(stderr.trim().split('\n').at(-1) ?? '')]).toMatchObject([1, { status: 401 }]);
});

test('the secret is the same for the same key, and can be printed alone', async () => {
  const [one, other] = [await newWorkspace(), await newWorkspace()];
  const secretOf = async (key: string) => (await crm(['listen', '--print-secret'], { key })).stdout;
  const secret = await secretOf(one.liveKey);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=\n$/);
  expect(await secretOf(one.liveKey)).toBe(secret);
  expect(await secretOf(other.liveKey)).not.toBe(secret);
});

test('it ends with whoever reads it', async () => {
  const { live, liveKey } = await newWorkspace();
  await using receiver = await startReceiver();
  await using listen = await listening(liveKey, ['--forward-to', receiver.url]);
  listen.child.stdout.destroy();
  await live.post('/v1/contacts', { name: 'unread' });
  expect((await listen.end).code).toBe(0);
});

test.skipIf(!hasTerminals)('on a terminal r sends the last one again, and Ctrl-C ends with 0', async () => {
  const { live, liveKey } = await newWorkspace();
  await using receiver = await startReceiver();
  const terminal = onTerminal(['listen', '--forward-to', receiver.url], { key: liveKey });
  let shown = '';
  terminal.stdout.on('data', (chunk) => {
    shown += chunk;
  });
  const says = (text: string) => eventually(async () => shown.includes(text), `"${text}" in ${shown}`);
  await says('listening to');
  terminal.stdin.write('r');
  await says('nothing was sent yet');
  await live.post('/v1/contacts', { name: 'Ada' });
  await says('in ');
  terminal.stdin.write('r');
  await eventually(async () => receiver.received.length === 2, 'it again');
  const [first, again] = receiver.received as [Received, Received];
  expect(again.text).toBe(first.text);
  expect(again.headers['x-svc-replay-of']).toBe(first.headers['x-svc-delivery']);
  expect(again.headers['webhook-id']).not.toBe(first.headers['webhook-id']);
  expect(shown).toContain('\u001b[32m200');
  terminal.stdin.write('\u0003');
  expect(await new Promise((resolve) => terminal.once('close', resolve))).toBe(0);
});

describe('an unknown argument', () => {
  test.each<[string, string[], RegExp]>([
    ['no receiver', [], /^--forward-to is missing/],
    ['a receiver that is no address', ['--forward-to', 'ftp://x'], /^ftp:\/\/x is not an http or https URL/],
    ['a map without an address', ['--map', 'deal.created'], /^--map is KIND=URL, not "deal\.created"/],
    [
      'a map of an unknown kind',
      ['--map', 'dela.created=localhost:1'],
      /^"dela\.created" is not an event kind; the kinds are /,
    ],
    [
      'an unknown kind',
      ['--forward-to', 'localhost:1', '--events', 'deal.*,nothing.*'],
      /^"nothing\.\*" is not an event kind/,
    ],
    ['a secret that is none', ['--forward-to', 'localhost:1', '--secret', 'abc'], /^--secret is not a signing secret/],
  ])('%s', async (_, args, said) => {
    const { liveKey } = await newWorkspace();
    const { code, stdout, stderr } = await crm(['listen', ...args], { key: liveKey });
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(said)]);
  });

  test('a key that may not read the feed is refused with the scope that it lacks', async () => {
    const { key } = await (await newWorkspace()).mint({ scopes: ['contacts:read'] });
    const { code, stderr } = await crm(['listen', '--forward-to', 'localhost:1'], { key });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^403 .*webhooks:read/)]);
  });
});
