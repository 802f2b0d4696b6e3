import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { fromNow, hourMs, minuteMs, now } from '#lib/core/clock.ts';
import { system } from '#lib/core/tenant.ts';
import type { FeedEvent } from '#lib/entities/feed-event.ts';
import { Dispatches } from '#lib/entities/webhook-dispatch.ts';
import { Healths } from '#lib/entities/webhook-health.ts';
import { fanOut } from '#lib/publishing/fan-out.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { type Client, eventually, everyItem } from '#test/client.ts';
import { advance, settle, world } from '#test/harness.ts';
import { answers, type Received, type Receiver, startReceiver } from '#test/webhooks/receiver.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

// The system of the tests runs with WEBHOOK_RETRY_SCALE 0.01: 5 s are 50 ms, 5 min are 3 s, a minute is 600 ms.
const time = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/);
const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
const kinds = ['contact.created', 'contact.updated', 'contact.note_added'];

let workspace: TestWorkspace;
let api: Client;

beforeAll(async () => {
  workspace = await newWorkspace();
  api = workspace.live;
});

async function endpoint(receiver: Receiver, body: object = {}, client = api) {
  const answer = await client.post('/v1/webhooks', { url: `${receiver.url}/hook`, eventKinds: kinds, ...body });
  expect(answer.status).toBe(201);
  const { id, secret } = answer.body as { id: number; secret: string };
  return {
    id,
    secret,
    path: `/v1/webhooks/${id}`,
    state: async () => (await client.get(`/v1/webhooks/${id}`)).body,
    deliveries: (query: Record<string, string | number> = {}) =>
      everyItem(client, `/v1/webhooks/${id}/deliveries`, query),
    delivery: async (key: string | number) => (await client.get(`/v1/webhooks/${id}/deliveries/${key}`)).body,
    remove: () => client.delete(`/v1/webhooks/${id}`),
  };
}

type Endpoint = Awaited<ReturnType<typeof endpoint>>;

const addContact = async (name: string, client = api): Promise<number> => {
  const { status, body } = await client.post('/v1/contacts', { name });
  expect(status).toBe(201);
  return body.id;
};

async function addContacts(count: number, client: Client): Promise<void> {
  const items = Array.from({ length: count }, (_, index) => ({ op: 'create', name: `Contact ${index}` }));
  await client.post('/v1/contacts/batch', { items }, 200);
}

const arrivals = (receiver: Receiver, count: number): Promise<Received[]> =>
  eventually(
    async () => receiver.received.length >= count && receiver.received,
    `${count} requests (there are ${receiver.received.length})`,
  );

const settled = (of: Endpoint, status: string, count = 1) =>
  eventually(
    async () => {
      const found = await of.deliveries({ status });
      return found.length >= count && found;
    },
    `${count} deliveries ${status}`,
    60_000,
  );

describe('a delivery', () => {
  test('carries the event as the feed lists it, with the headers of the contract', async () => {
    await using receiver = await startReceiver(answers(202, 'thanks'));
    const hook = await endpoint(receiver);
    const contactId = await addContact('Zoë 🎈');
    const [request] = (await arrivals(receiver, 1)) as [Received];
    const { items } = (await api.get('/v1/events', { eventKind: 'contact.created', limit: 100 })).body;
    const event = items.find(({ data }: { data: { contact_id: string } }) => data.contact_id === String(contactId));
    expect(request.body).toEqual(event);
    expect(event).toEqual({
      event: 'contact.created',
      id: expect.stringMatching(/^evt_/),
      timestamp: time,
      sequence: expect.any(Number),
      livemode: true,
      data: expect.objectContaining({ contact_id: String(contactId), name: 'Zoë 🎈' }),
    });
    const [delivery] = await settled(hook, 'succeeded');
    const { headers, text } = request;
    expect(headers).toEqual({
      host: receiver.url.replace('http://', ''),
      connection: 'keep-alive',
      'content-length': String(Buffer.byteLength(text)),
      'content-type': 'application/json',
      'user-agent': 'crm-api-webhooks/1',
      'x-svc-event': 'contact.created',
      'x-svc-delivery': delivery.deliveryId,
      'x-svc-attempt': '1',
      'x-svc-timestamp': headers['webhook-timestamp'],
      'x-svc-signature': `sha256=${createHmac('sha256', hook.secret).update(text).digest('hex')}`,
      'webhook-id': delivery.deliveryId,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    });
    for (const verifier of [new StandardWebhook(hook.secret), new SvixWebhook(hook.secret)])
      expect(() => verifier.verify(text, headers as Record<string, string>)).not.toThrow();
    expect(delivery).toEqual({
      id: expect.any(Number),
      deliveryId: uuid,
      endpointId: hook.id,
      eventKind: 'contact.created',
      eventId: event.id,
      status: 'succeeded',
      attemptCount: 1,
      nextAttemptAt: null,
      responseStatus: 202,
      responseBody: 'thanks',
      error: null,
      durationMs: expect.any(Number),
      replayOfId: null,
      createdAt: time,
      completedAt: time,
    });
    const detail = {
      ...delivery,
      requestHeaders: expect.objectContaining({
        'X-SVC-Signature': headers['x-svc-signature'],
        'webhook-signature': headers['webhook-signature'],
      }),
      requestBody: text,
      attempts: [
        {
          number: 1,
          startedAt: time,
          durationMs: delivery.durationMs,
          responseStatus: 202,
          error: null,
          responseHeaders: expect.objectContaining({ date: expect.any(String) }),
          errorClass: null,
        },
      ],
    };
    expect(await hook.delivery(delivery.id)).toEqual(detail);
    expect(await hook.delivery(delivery.deliveryId.toUpperCase())).toEqual(detail);
    expect(await hook.state()).toMatchObject({
      status: 'healthy',
      consecutiveFailures: 0,
      lastDeliveryAt: time,
      lastSuccessAt: time,
    });
    await hook.remove();
  });

  test('goes to the subscribers of its kind, with test data to test endpoints only', async () => {
    await using mine = await startReceiver();
    await using others = await startReceiver();
    await using sandbox = await startReceiver();
    const hooks = [
      await endpoint(mine, { eventKinds: ['contact.created'] }),
      await endpoint(others, { eventKinds: ['contact.note_added'] }),
    ];
    const sandboxHook = await endpoint(sandbox, {}, workspace.test);
    const id = await addContact('Live');
    await api.post(`/v1/contacts/${id}/activities`, { text: 'a note' });
    await addContact('Test', workspace.test);
    await Promise.all([arrivals(mine, 1), arrivals(others, 1), arrivals(sandbox, 1)]);
    await settled(hooks[0] as Endpoint, 'succeeded');
    expect(mine.received.map(({ body }) => [body.event, body.livemode])).toEqual([['contact.created', true]]);
    expect(others.received.map(({ body }) => [body.event, body.livemode])).toEqual([['contact.note_added', true]]);
    expect(sandbox.received.map(({ body }) => [body.data.name, body.livemode])).toEqual([['Test', false]]);
    await Promise.all([...hooks, sandboxHook].map((hook) => hook.remove()));
  });

  test('is made of what happens after the endpoint was registered, and of nothing before', async () => {
    await using receiver = await startReceiver();
    const { live } = await newWorkspace();
    for (let index = 0; index < 5; index += 1) {
      await addContact(`before ${index}`, live);
      const hook = await endpoint(receiver, { eventKinds: ['contact.created'] }, live);
      const after = await addContact(`after ${index}`, live);
      await settled(hook, 'succeeded');
      expect(receiver.received.map(({ body }) => body.data.contact_id)).toEqual([String(after)]);
      await hook.remove();
      receiver.received.length = 0;
    }
  });

  test('is made once when its event is fanned out again', async () => {
    await using receiver = await startReceiver();
    const { id, live } = await newWorkspace();
    const hook = await endpoint(receiver, {}, live);
    const at = new Date(now() + 1000).toISOString();
    const events = Array.from(
      { length: 60 },
      (_, index): FeedEvent => ({
        sequence: 1000 + index,
        event: 'contact.updated',
        id: `evt_${index}`,
        timestamp: at,
        committedAt: at,
        subject: `contact/${index}`,
        body: '{}',
      }),
    );
    const tenant = { workspaceId: id, env: 'live' } as const;
    await fanOut(tenant, events.slice(0, 30));
    await Promise.all([fanOut(tenant, events), fanOut(tenant, events)]);
    await fanOut(tenant, events);
    const deliveries = await hook.deliveries();
    expect(deliveries.map(({ eventId }) => eventId)).toEqual(events.map((event) => event.id).reverse());
  });
});

describe('a failed attempt', () => {
  test('is repeated with the same id and the same bytes, signed anew', async () => {
    await using receiver = await startReceiver((_, response, index) => {
      response.writeHead(index < 3 ? 500 : 200).end(index < 3 ? `x${'😀'.repeat(3000)}` : 'ok');
    });
    const hook = await endpoint(receiver);
    await addContact('Ada');
    const [retrying] = await settled(hook, 'retrying');
    expect(retrying).toMatchObject({
      nextAttemptAt: time,
      responseStatus: 500,
      responseBody: `x${'😀'.repeat(1023)}`,
      error: 'the endpoint answered 500',
      completedAt: null,
    });
    const requests = await arrivals(receiver, 3);
    const [delivery] = await settled(hook, 'succeeded');
    expect(requests.map(({ headers }) => headers['x-svc-attempt'])).toEqual(['1', '2', '3']);
    expect(new Set(requests.map(({ headers }) => headers['x-svc-delivery']))).toEqual(new Set([delivery.deliveryId]));
    expect(new Set(requests.map(({ text }) => text)).size).toBe(1);
    const verifier = new StandardWebhook(hook.secret);
    for (const { text, headers } of requests)
      expect(() => verifier.verify(text, headers as Record<string, string>)).not.toThrow();
    const waits = requests.slice(1).map(({ atMs }, index) => atMs - (requests[index] as Received).atMs);
    expect(waits[0]).toBeGreaterThanOrEqual(50);
    expect(waits[1]).toBeGreaterThanOrEqual(3000);
    expect(await hook.delivery(delivery.id)).toMatchObject({
      attemptCount: 3,
      error: null,
      attempts: [
        { number: 1, responseStatus: 500, error: 'the endpoint answered 500' },
        { number: 2, responseStatus: 500, error: 'the endpoint answered 500' },
        { number: 3, responseStatus: 200, error: null },
      ],
    });
    await hook.remove();
  });

  const advice = ': redirects are not followed, register that address';

  test.each([
    [
      'a redirect',
      answers(302, '', { location: 'http://127.0.0.1:9/' }),
      302,
      `the endpoint answered 302 to http://127.0.0.1:9/${advice}`,
    ],
    ['a redirect to nowhere', answers(308), 308, `the endpoint answered 308${advice}`],
    ['not found', answers(404), 404, 'the endpoint answered 404'],
    ['an answer over 1 MiB', answers(200, 'x'.repeat(1024 * 1024 + 1)), 200, 'the answer is larger than 1048576 bytes'],
    [
      'a reset connection',
      (_: Received, response: ServerResponse) => void response.socket?.resetAndDestroy(),
      null,
      'the connection was closed before the answer was complete',
    ],
  ])('is one whose answer is %s', async (_, answering, responseStatus, error) => {
    await using receiver = await startReceiver(answering);
    const hook = await endpoint(receiver);
    await addContact('Ada');
    const [delivery] = await settled(hook, 'retrying');
    expect(delivery).toMatchObject({ responseStatus, error });
    await hook.remove();
  });

  test('waits as Retry-After asks', async () => {
    await using receiver = await startReceiver((_, response, index) =>
      response.writeHead(index > 1 ? 200 : 503, { 'retry-after': '200' }).end(),
    );
    const hook = await endpoint(receiver);
    await addContact('Ada');
    const [first, second] = (await arrivals(receiver, 2)) as [Received, Received];
    expect(second.atMs - first.atMs).toBeGreaterThanOrEqual(2000 - 20);
    await settled(hook, 'succeeded');
    await hook.remove();
  });

  test('five in a row degrade the endpoint, a success heals it', async () => {
    await using receiver = await startReceiver(answers(500));
    const hook = await endpoint(receiver);
    await Promise.all(Array.from({ length: 5 }, (_, index) => addContact(`Ada ${index}`)));
    const degraded = await eventually(async () => {
      const state = await hook.state();
      return state.status === 'degraded' && state;
    }, 'a degraded endpoint');
    expect(degraded).toMatchObject({ isActive: true, lastSuccessAt: null, lastDeliveryAt: time });
    expect(degraded.consecutiveFailures).toBeGreaterThanOrEqual(5);
    receiver.answer(answers(200));
    await settled(hook, 'succeeded', 5);
    expect(await hook.state()).toMatchObject({ status: 'healthy', consecutiveFailures: 0, lastSuccessAt: time });
    await hook.remove();
  });

  test('disables the endpoint at once on a 410, and later events are skipped until it is enabled', async () => {
    await using receiver = await startReceiver(answers(410));
    const hook = await endpoint(receiver);
    await addContact('Gone');
    const [failed] = await settled(hook, 'failed');
    expect(failed).toMatchObject({ attemptCount: 1, responseStatus: 410, nextAttemptAt: null, completedAt: time });
    expect(await hook.state()).toMatchObject({ isActive: false, status: 'disabled' });
    await addContact('Missed');
    const [skipped] = await settled(hook, 'skipped');
    expect(skipped).toMatchObject({
      attemptCount: 0,
      nextAttemptAt: null,
      error: 'the endpoint was disabled',
      completedAt: time,
    });
    receiver.answer(answers(200));
    const enabled = await api.patch(hook.path, { isActive: true });
    expect(enabled.body).toMatchObject({ isActive: true, status: 'healthy', consecutiveFailures: 0 });
    await addContact('Heard');
    await settled(hook, 'succeeded');
    expect(receiver.received.map(({ body }) => body.data.name)).toEqual(['Gone', 'Heard']);
    await hook.remove();
  });
});

describe('a replay', () => {
  test('is a new delivery of the same event', async () => {
    await using receiver = await startReceiver();
    const hook = await endpoint(receiver);
    await addContact('Ada');
    const [original] = await settled(hook, 'succeeded');
    const { status, headers, body } = await api.post(`${hook.path}/deliveries/${original.deliveryId}/replay`);
    expect({ status, location: headers['location'], body }).toEqual({
      status: 202,
      location: `${hook.path}/deliveries/${body.id}`,
      body: {
        ...original,
        id: body.id,
        deliveryId: uuid,
        status: 'pending',
        attemptCount: 0,
        nextAttemptAt: time,
        responseStatus: null,
        responseBody: null,
        durationMs: null,
        replayOfId: original.id,
        createdAt: time,
        completedAt: null,
      },
    });
    expect(body.deliveryId).not.toBe(original.deliveryId);
    const [first, second] = (await arrivals(receiver, 2)) as [Received, Received];
    expect(second.text).toBe(first.text);
    expect(second.headers).toMatchObject({
      'x-svc-delivery': body.deliveryId,
      'x-svc-replay-of': original.deliveryId,
      'x-svc-attempt': '1',
    });
    expect(first.headers).not.toHaveProperty('x-svc-replay-of');
    await settled(hook, 'succeeded', 2);
    await hook.remove();
  });

  test('waits until the delivery is finished', async () => {
    await using receiver = await startReceiver(answers(500));
    const hook = await endpoint(receiver);
    await addContact('Ada');
    const [delivery] = await settled(hook, 'retrying');
    const { status, body } = await api.post(`${hook.path}/deliveries/${delivery.id}/replay`);
    expect([status, body.details.reason]).toEqual([409, 'delivery_in_progress']);
    for (const missing of ['999999', '6f3c0000-0000-4000-8000-000000000000', 'x'])
      await api.post(`${hook.path}/deliveries/${missing}/replay`, undefined, 404);
    await hook.remove();
  });

  test('sends each missed event once, in order', async () => {
    await using receiver = await startReceiver();
    const hook = await endpoint(receiver);
    await api.patch(hook.path, { isActive: false });
    const contactId = await addContact('Missed 0');
    const since = new Date(now() - 60_000).toISOString();
    for (let index = 1; index < 30; index += 1)
      await api.patch(`/v1/contacts/${contactId}`, { name: `Missed ${index}` });
    const skipped = await settled(hook, 'skipped', 30);
    await api.patch(hook.path, { isActive: true });
    const other = { since, eventKind: 'deal.created' };
    expect((await api.post(`${hook.path}/replay-failed`, other)).body).toEqual({ queued: 0 });
    const own = { since, eventKind: 'contact.created' };
    expect((await api.post(`${hook.path}/replay-failed`, own)).body).toEqual({ queued: 1 });
    const queued = await Promise.all([1, 2].map(() => api.post(`${hook.path}/replay-failed`, { since })));
    expect(queued.map(({ status }) => status)).toEqual([202, 202]);
    expect(queued.map(({ body }) => body.queued).sort((a, b) => a - b)).toEqual([0, 29]);
    const replays = await settled(hook, 'succeeded', 30);
    expect(replays.map(({ replayOfId }) => replayOfId)).toEqual(skipped.map(({ id }) => id));
    expect(receiver.received.map(({ body }) => body.sequence)).toEqual(
      receiver.received.map(({ body }) => body.sequence).sort((a, b) => a - b),
    );
    expect(receiver.received).toHaveLength(30);
    expect((await api.post(`${hook.path}/replay-failed`, { since })).body).toEqual({ queued: 0 });
    await hook.remove();
  });

  test.each([
    [{}, 'required'],
    [{ since: 'yesterday' }, 'invalid_format'],
    [{ since: '2020-01-01T00:00:00Z' }, 'out_of_range'],
  ])('is refused when its period is wrong: %j', async (body, code) => {
    await using receiver = await startReceiver();
    const hook = await endpoint(receiver);
    const answer = await api.post(`${hook.path}/replay-failed`, body);
    expect([answer.status, answer.body.details.fields[0]]).toEqual([
      400,
      { field: 'since', code, message: expect.any(String) },
    ]);
    await hook.remove();
  });
});

describe('a test delivery', () => {
  test('is one attempt while the call waits, and is not in the feed', async () => {
    await using receiver = await startReceiver(answers(200, 'pong'));
    const hook = await endpoint(receiver);
    const { status, body } = await api.post(`${hook.path}/test`, {});
    const [request] = receiver.received as [Received];
    expect(request.body).toEqual({
      event: 'webhook.test',
      id: expect.stringMatching(/^evt_/),
      timestamp: time,
      sequence: null,
      livemode: true,
      data: { message: 'test delivery', endpoint_id: String(hook.id) },
    });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        delivery: {
          id: expect.any(Number),
          deliveryId: request.headers['x-svc-delivery'],
          endpointId: hook.id,
          eventKind: 'webhook.test',
          eventId: request.body.id,
          status: 'succeeded',
          attemptCount: 1,
          nextAttemptAt: null,
          responseStatus: 200,
          responseBody: 'pong',
          error: null,
          durationMs: expect.any(Number),
          replayOfId: null,
          createdAt: time,
          completedAt: time,
        },
      },
    });
    const detail = await hook.delivery(body.delivery.id);
    expect(detail).toMatchObject({ requestBody: request.text, attempts: [{ number: 1, responseStatus: 200 }] });
    expect(await hook.state()).toMatchObject({ lastDeliveryAt: time, lastSuccessAt: time });
    expect((await api.get('/v1/events', { eventKind: 'webhook.test' })).body.items).toEqual([]);
    await api.post(`${hook.path}/deliveries/${body.delivery.id}/replay`);
    expect(((await arrivals(receiver, 2))[1] as Received).text).toBe(request.text);
    await hook.remove();
  });

  test('carries the example of its kind to a disabled endpoint, and a failure does not count', async () => {
    await using receiver = await startReceiver(answers(500));
    const hook = await endpoint(receiver, {}, workspace.test);
    await workspace.test.patch(hook.path, { isActive: false });
    const { body } = await workspace.test.post(`${hook.path}/test`, { eventKind: 'deal.stage_changed' });
    expect(body.delivery).toMatchObject({
      status: 'failed',
      attemptCount: 1,
      responseStatus: 500,
      nextAttemptAt: null,
    });
    const { items } = (await api.get('/v1/webhooks/event-kinds')).body;
    const { example } = items.find(({ kind }: { kind: string }) => kind === 'deal.stage_changed');
    expect(receiver.received[0]?.body).toEqual({
      ...example,
      id: expect.any(String),
      timestamp: time,
      sequence: null,
      livemode: false,
    });
    expect(await hook.state()).toMatchObject({ consecutiveFailures: 0, lastSuccessAt: null });
    await hook.remove();
  });

  test('is not part of a later replay when it failed', async () => {
    await using receiver = await startReceiver(answers(500));
    const hook = await endpoint(receiver);
    expect((await api.post(`${hook.path}/test`)).body.delivery).toMatchObject({ status: 'failed' });
    const since = new Date(now() - 60_000).toISOString();
    expect((await api.post(`${hook.path}/replay-failed`, { since })).body).toEqual({ queued: 0 });
    await hook.remove();
  });

  test('under one Idempotency-Key is sent once', async () => {
    await using receiver = await startReceiver();
    const hook = await endpoint(receiver);
    const key = { 'idempotency-key': 'test-once' };
    const first = await api.post(`${hook.path}/test`, {}, key);
    const second = await api.post(`${hook.path}/test`, {}, key);
    expect(second.body).toEqual(first.body);
    expect(receiver.received).toHaveLength(1);
    await hook.remove();
  });
});

describe('a rotation', () => {
  test('lets both secrets sign during the grace', async () => {
    await using receiver = await startReceiver();
    const { live } = await newWorkspace();
    const hook = await endpoint(receiver, {}, live);
    const { body: rotated } = await live.post(`${hook.path}/rotate`, { graceMinutes: 5 });
    await addContact('Ada', live);
    const [{ text, headers }] = (await arrivals(receiver, 1)) as [Received];
    const simple = (secret: string) => `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
    expect(headers).toMatchObject({
      'x-svc-signature': simple(rotated.secret),
      'x-svc-signature-previous': simple(hook.secret),
    });
    for (const secret of [rotated.secret, hook.secret])
      expect(() => new StandardWebhook(secret).verify(text, headers as Record<string, string>)).not.toThrow();
    await live.post(`${hook.path}/rotate`, { graceMinutes: 0 });
    await addContact('Bob', live);
    const { headers: later } = (await arrivals(receiver, 2))[1] as Received;
    expect(later).not.toHaveProperty('x-svc-signature-previous');
    expect(String(later['webhook-signature']).split(' ')).toHaveLength(1);
  });
});

describe('an endpoint under load', () => {
  test('has at most ten requests in flight and fifty a second, and gets each event once', async () => {
    await using receiver = await startReceiver((_, response) => void setTimeout(() => response.end(), 30));
    const { live } = await newWorkspace();
    const hook = await endpoint(receiver, { eventKinds: ['contact.created'] }, live);
    await addContacts(100, live);
    await settled(hook, 'succeeded', 100);
    expect(receiver.received).toHaveLength(100);
    expect(new Set(receiver.received.map(({ body }) => body.id)).size).toBe(100);
    expect(receiver.maxInFlight).toBeLessThanOrEqual(10);
    expect(receiver.maxInFlight).toBeGreaterThan(1);
    const times = receiver.received.map(({ atMs }) => atMs);
    for (const start of times) expect(times.filter((at) => at >= start && at < start + 1000).length).toBeLessThan(60);
  });

  test('gets the events of one subject in order, though it answers out of order', async () => {
    await using receiver = await startReceiver(
      (_, response) => void setTimeout(() => response.end(), Math.random() * 60),
    );
    const { live } = await newWorkspace();
    const hook = await endpoint(receiver, { eventKinds: ['contact.updated'] }, live);
    const ids = await Promise.all([addContact('a', live), addContact('b', live), addContact('c', live)]);
    await Promise.all(
      ids.map(async (id) => {
        for (let index = 0; index < 12; index += 1) await live.patch(`/v1/contacts/${id}`, { notes: `${index}` });
      }),
    );
    await settled(hook, 'succeeded', 36);
    for (const id of ids) {
      const own = receiver.received.filter(({ body }) => body.data.contact_id === String(id));
      expect(own.map(({ body }) => body.data.changes.notes.to)).toEqual(own.map((_, index) => `${index}`));
      expect(own).toHaveLength(12);
    }
  });

  test('gets events of other subjects when many of one subject wait', async () => {
    let place: number | undefined;
    await using receiver = await startReceiver(({ body }, response, index) => {
      // What comes after it does not matter.
      response.writeHead(place === undefined ? 200 : 410).end();
      if (body.data.contact_id === String(other)) place = index;
    });
    const { live } = await newWorkspace();
    await endpoint(receiver, { eventKinds: ['contact.updated'] }, live);
    const [busy, other] = [await addContact('Busy', live), await addContact('Other', live)];
    for (let batch = 0; batch < 3; batch += 1) {
      const items = Array.from({ length: 100 }, (_, index) => ({ op: 'update', id: busy, notes: `${batch}.${index}` }));
      expect((await live.post('/v1/contacts/batch', { items })).body).toMatchObject({ failed: 0 });
    }
    await live.patch(`/v1/contacts/${other}`, { notes: 'Of another' });
    await settle();
    expect(place).toBeLessThan(150);
  });

  test('is left alone for a while after ten failures, and no delivery loses an attempt', async () => {
    // Ten failures open the breaker, ten more may have been under way, then it tries once after 300 ms, 600 ms, 1.2 s and so on.
    let untilOpen: number | undefined;
    let lastMs: number | undefined;
    await using receiver = await startReceiver(({ atMs }, response, index) => {
      if (atMs - (lastMs ?? atMs) > 1_000) untilOpen ??= index - 1;
      lastMs = atMs;
      response.writeHead(untilOpen === undefined ? 500 : 200).end();
    });
    const { live } = await newWorkspace();
    const hook = await endpoint(receiver, { eventKinds: ['contact.created'] }, live);
    await addContacts(60, live);
    await settled(hook, 'succeeded', 60);
    expect(untilOpen).toBeGreaterThanOrEqual(10);
    expect(untilOpen).toBeLessThan(35);
    expect(new Set(receiver.received.map(({ body }) => body.id)).size).toBe(60);
    const attempts = (await hook.deliveries()).reduce((sum, { attemptCount }) => sum + attemptCount, 0);
    expect(attempts).toBe(receiver.received.length);
    expect(await hook.state()).toMatchObject({ status: 'healthy', consecutiveFailures: 0 });
  });

  test('moves to the slow lane when it is slow, and back when it is quick', async () => {
    let aheadMs = 0;
    const { now: measured } = performance;
    vi.spyOn(performance, 'now').mockImplementation(() => measured.call(performance) + aheadMs);
    await using receiver = await startReceiver((_, response) => {
      aheadMs += 1_300;
      response.end();
    });
    const { id, live } = await newWorkspace();
    const hook = await endpoint(receiver, { eventKinds: ['contact.created'] }, live);
    const isSlow = async () =>
      (await new UnitOfWork({ workspaceId: id, env: 'live' }, system).get(Dispatches, { id: hook.id })).isSlow;
    await addContacts(20, live);
    await settled(hook, 'succeeded', 20);
    await eventually(isSlow, 'the slow lane');
    receiver.answer((_, response) => response.end());
    await addContacts(20, live);
    await settled(hook, 'succeeded', 40);
    await eventually(async () => !(await isSlow()), 'the quick lane');
    expect(new Set(receiver.received.map(({ body }) => body.id)).size).toBe(40);
    expect(receiver.received).toHaveLength(40);
    vi.restoreAllMocks();
  });

  test('gets ten tries of a delivery, which then has failed and can be replayed', async () => {
    await using receiver = await startReceiver(answers(500));
    const hook = await endpoint(receiver);
    await addContact('Ada');
    await advance(hourMs);
    const [failed] = await hook.deliveries({ status: 'failed' });
    expect(failed).toMatchObject({ attemptCount: 10, nextAttemptAt: null, responseStatus: 500 });
    const numbers = Array.from({ length: 10 }, (_, index) => index + 1);
    const { attempts } = await hook.delivery(failed.id);
    expect(attempts.map(({ number }: { number: number }) => number)).toEqual(numbers);
    expect(receiver.received.map(({ headers }) => Number(headers['x-svc-attempt']))).toEqual(numbers);
    const spanMs = (receiver.received.at(-1)?.atMs ?? 0) - (receiver.received[0]?.atMs ?? 0);
    expect(spanMs).toBeGreaterThanOrEqual((75 * hourMs + 35 * minuteMs) / 100);
    receiver.answer(answers(200));
    const since = fromNow(-2 * hourMs);
    expect((await api.post(`${hook.path}/replay-failed`, { since })).body).toEqual({ queued: 1 });
    const requests = await arrivals(receiver, 11);
    expect(requests[10]?.text).toBe(requests[0]?.text);
    await hook.remove();
  });
});

test('deliveries to an endpoint whose worker died resume when its lease ends', async () => {
  await using receiver = await startReceiver();
  const { id, live } = await newWorkspace();
  const hook = await endpoint(receiver, {}, live);
  const leaseUntilMs = now() + 6_000;
  await transact({ workspaceId: id, env: 'live' }, system, async (tx) => {
    const health = await tx.get(Healths, { id: hook.id });
    tx.update(Healths, { ...health, owner: 'a worker that died', leaseUntilMs });
  });
  await addContact('Ada', live);
  const [request] = (await arrivals(receiver, 1)) as [Received];
  expect(request.atMs).toBeGreaterThanOrEqual(leaseUntilMs);
  await settled(hook, 'succeeded');
  expect(receiver.received).toHaveLength(1);
});

test('after its url has changed nothing more begins at the old one, which speaks no more for the endpoint', async () => {
  const own = await newWorkspace();
  const held: ServerResponse[] = [];
  await using before = await startReceiver((_, response) => held.push(response));
  await using after = await startReceiver();
  const moved = await endpoint(before, {}, own.live);
  await addContacts(30, own.live);
  const settling = settle();
  // Those who hold their answers keep their worker at work.
  while (before.received.length < 10) await pause(5);
  const url = `${after.url}/hook`;
  await own.live.patch(moved.path, { url }, 200);
  // So long a worker goes on with what it has read.
  world()?.clock.moveTo(now() + 1_500);
  for (const response of held) response.writeHead(410).end();
  await settling;
  expect(after.received).toHaveLength(30);
  expect(before.received).toHaveLength(10);
  await settled(moved, 'succeeded', 30);
  expect(await moved.state()).toMatchObject({ url, isActive: true, status: 'healthy', consecutiveFailures: 0 });
  await moved.remove();
});

test('deliveries of a deleted endpoint are dropped', async () => {
  await using receiver = await startReceiver(answers(500));
  const { live } = await newWorkspace();
  const hook = await endpoint(receiver, {}, live);
  await addContact('Ada', live);
  await settled(hook, 'retrying');
  await hook.remove();
  const { length } = receiver.received;
  await addContact('Bob', live);
  await advance(minuteMs);
  expect(receiver.received.length).toBeLessThanOrEqual(length + 1);
  await live.get(`${hook.path}/deliveries`, undefined, 404);
});

test('deliveries are found by status, kind and time, and page by page', async () => {
  await using receiver = await startReceiver((received, response) =>
    response.writeHead(received.body.event === 'contact.note_added' ? 410 : 200).end(),
  );
  const { live } = await newWorkspace();
  const hook = await endpoint(receiver, {}, live);
  const id = await addContact('Ada', live);
  await live.patch(`/v1/contacts/${id}`, { name: 'Ada L.' });
  await settled(hook, 'succeeded', 2);
  await live.post(`/v1/contacts/${id}/activities`, { text: 'a note' });
  await settled(hook, 'failed');
  await live.patch(`/v1/contacts/${id}`, { name: 'Ada B.' });
  await settled(hook, 'skipped');
  const found = async (query: Record<string, string | number>) =>
    (await hook.deliveries(query)).map(({ eventKind, status }) => `${eventKind} ${status}`);
  const all = [
    'contact.updated skipped',
    'contact.note_added failed',
    'contact.updated succeeded',
    'contact.created succeeded',
  ];
  expect(await found({})).toEqual(all);
  expect(await found({ limit: 1 })).toEqual(all);
  expect(await found({ status: 'succeeded' })).toEqual(all.slice(2));
  expect(await found({ status: 'failed' })).toEqual(all.slice(1, 2));
  expect(await found({ status: 'pending' })).toEqual([]);
  expect(await found({ eventKind: 'contact.updated' })).toEqual([all[0], all[2]]);
  expect(await found({ eventKind: 'contact.updated', status: 'succeeded' })).toEqual([all[2]]);
  const [last] = await hook.deliveries();
  expect(await found({ until: last.createdAt })).toEqual(all);
  expect(await found({ since: '2999-01-01T00:00:00Z' })).toEqual([]);
  expect(await found({ until: '2000-01-01T00:00:00Z' })).toEqual([]);
  for (const query of [{ status: 'lost' }, { eventKind: 'x' }, { since: 'now' }])
    await live.get(`${hook.path}/deliveries`, query, 400);
  for (const key of ['x'.repeat(101), 'x'.repeat(2000), 'İ'.repeat(100)]) {
    await live.get(`${hook.path}/deliveries/${encodeURIComponent(key)}`, undefined, 404);
    await live.post(`${hook.path}/deliveries/${encodeURIComponent(key)}/replay`, undefined, 404);
  }
});
