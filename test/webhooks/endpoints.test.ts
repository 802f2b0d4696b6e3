import { beforeAll, describe, expect, test } from 'vitest';
import { now } from '#lib/core/clock.ts';
import { eventKinds } from '#lib/events/kinds.ts';
import type { Client } from '#test/client.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

const time = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/);
const secret = expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/);

let workspace: TestWorkspace;
let api: Client;
let next = 0;
const url = () => {
  next += 1;
  return `http://127.0.0.1:9/hook/${next}`;
};

beforeAll(async () => {
  workspace = await newWorkspace();
  api = workspace.live;
});

const create = async (client = api, body: object = {}) => {
  const { status, body: made } = await client.post('/v1/webhooks', { url: url(), ...body });
  expect(status).toBe(201);
  return made;
};

describe('a new endpoint', () => {
  test('has the defaults of the contract and shows the secret once', async () => {
    const { live } = await newWorkspace();
    const given = url();
    const { status, headers, body } = await live.post('/v1/webhooks', { url: ` ${given} ` });
    expect({ status, location: headers['location'], body }).toEqual({
      status: 201,
      location: '/v1/webhooks/1',
      body: {
        id: 1,
        url: given,
        description: null,
        eventKinds: ['*'],
        filter: null,
        headers: [],
        ownSecret: false,
        isActive: true,
        status: 'healthy',
        consecutiveFailures: 0,
        lastDeliveryAt: null,
        lastSuccessAt: null,
        pausedUntil: null,
        secretHint: body.secret.slice(-4),
        createdAt: time,
        updatedAt: null,
        secret,
      },
    });
    const { secret: _, ...shown } = body;
    const got = await live.get('/v1/webhooks/1');
    expect({ status: got.status, body: got.body }).toEqual({ status: 200, body: shown });
    expect((await live.get('/v1/webhooks')).body).toEqual({ items: [shown], nextCursor: null, hasMore: false });
  });

  test('keeps what it is given, kinds in any case and each once', async () => {
    const made = await create(api, {
      description: 'CRM mirror',
      eventKinds: ['Contact.Created', 'contact.created', 'deal.updated'],
    });
    expect(made).toMatchObject({ description: 'CRM mirror', eventKinds: ['contact.created', 'deal.updated'] });
    expect((await create(api, { eventKinds: ['deal.updated', '*'] })).eventKinds).toEqual(['*']);
  });

  test('shares the secret of its workspace and environment, also when the first two are made at once', async () => {
    const { live, test: sandbox } = await newWorkspace();
    const made = await Promise.all(Array.from({ length: 5 }, () => create(live)));
    expect(new Set(made.map((one) => one.secret)).size).toBe(1);
    expect((await create(sandbox)).secret).not.toBe(made[0].secret);
  });

  test.each([
    [{}, 'url', 'required'],
    [{ url: 'hook' }, 'url', 'invalid_format'],
    [{ url: 'https://u:p@example.com/' }, 'url', 'invalid_format'],
    [{ url: 'https://exa\tmple.com/' }, 'url', 'invalid_format'],
    [{ url: 'https://example.com/a\r\nb' }, 'url', 'invalid_format'],
    [{ url: `https://example.com/${'x'.repeat(2048)}` }, 'url', 'too_long'],
    [{ url: 'https://8.8.8.8/', description: 'x'.repeat(201) }, 'description', 'too_long'],
    [{ url: 'https://8.8.8.8/', eventKinds: ['contact.exploded'] }, 'eventKinds[0]', 'invalid_enum'],
    [{ url: 'https://8.8.8.8/', eventKinds: 'contact.created' }, 'eventKinds', 'invalid_type'],
  ])('is refused: %j', async (body, field, code) => {
    const answer = await api.post('/v1/webhooks', body);
    expect({ status: answer.status, fields: answer.body.details.fields }).toEqual({
      status: 400,
      fields: [{ field, code, message: expect.any(String) }],
    });
  });

  test('has a unique url under concurrent calls', async () => {
    const same = url();
    const answers = await Promise.all(Array.from({ length: 8 }, () => api.post('/v1/webhooks', { url: same })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    const refused = answers.find(({ status }) => status === 409);
    const { id: endpointId } = answers.find(({ status }) => status === 201)?.body ?? {};
    expect(refused?.body).toEqual({
      error: 'conflict',
      message: `endpoint ${endpointId} has this url: change that one, or delete it first`,
      details: { ...because('webhook_url_taken'), endpointId },
    });
  });

  test('is refused above twenty under concurrent calls', async () => {
    const { live } = await newWorkspace();
    const answers = await Promise.all(Array.from({ length: 24 }, () => live.post('/v1/webhooks', { url: url() })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, body }) => [status, body.details.reason])).toEqual(
      Array(4).fill([409, 'limit_reached']),
    );
    const { body } = await live.get('/v1/webhooks', { limit: 100 });
    expect(body.items).toHaveLength(20);
    await live.delete(`/v1/webhooks/${body.items[0].id}`, 200);
    await create(live);
  });
});

describe('an endpoint', () => {
  test('is changed field by field, and its url stays its own', async () => {
    const [one, other] = [await create(), await create()];
    const patched = await api.patch(`/v1/webhooks/${one.id}`, { description: 'new', eventKinds: ['deal.created'] });
    expect({ status: patched.status, body: patched.body }).toMatchObject({
      status: 200,
      body: { url: one.url, description: 'new', eventKinds: ['deal.created'], updatedAt: time },
    });
    expect((await api.patch(`/v1/webhooks/${one.id}`, { description: null })).body.description).toBeNull();
    const taken = await api.patch(`/v1/webhooks/${one.id}`, { url: other.url });
    expect([taken.status, taken.body.details.reason]).toEqual([409, 'webhook_url_taken']);
    const moved = url();
    const typed = moved.replace('http://', 'HTTP://').replace(/\/(?=[^/]*$)/, '/./');
    expect((await api.patch(`/v1/webhooks/${one.id}`, { url: typed })).body.url).toBe(moved);
    expect((await api.get(`/v1/webhooks/${one.id}`)).body.url).toBe(moved);
    await create(api, { url: one.url });
  });

  test('stays untouched by a patch that changes nothing', async () => {
    const { id, description } = await create();
    const { status, body } = await api.patch(`/v1/webhooks/${id}`, { description, eventKinds: ['*'] });
    expect({ status, updatedAt: body.updatedAt }).toEqual({ status: 200, updatedAt: null });
  });

  test('is disabled and enabled, and found by it', async () => {
    const { live } = await newWorkspace();
    const [one, other] = [await create(live), await create(live)];
    const disabled = await live.patch(`/v1/webhooks/${one.id}`, { isActive: false });
    expect(disabled.body).toMatchObject({ isActive: false, status: 'disabled' });
    const ids = async (isActive: boolean) =>
      (await live.get('/v1/webhooks', { isActive })).body.items.map(({ id }: { id: number }) => id);
    expect([await ids(false), await ids(true)]).toEqual([[one.id], [other.id]]);
    const enabled = await live.patch(`/v1/webhooks/${one.id}`, { isActive: true });
    expect(enabled.body).toMatchObject({ isActive: true, status: 'healthy' });
  });

  test('takes its secret from a rotation only', async () => {
    const { id } = await create();
    const { status, body } = await api.patch(`/v1/webhooks/${id}`, { secret: 'whsec_mine' });
    expect({ status, fields: body.details.fields }).toEqual({
      status: 400,
      fields: [{ field: 'secret', code: 'not_allowed', message: expect.stringContaining('/rotate') }],
    });
  });

  test('is not changed on a stale ETag', async () => {
    const { id } = await create();
    const { headers } = await api.get(`/v1/webhooks/${id}`);
    const first = { 'if-match': headers['etag'] as string };
    const changed = await api.patch(`/v1/webhooks/${id}`, { description: 'a' }, first);
    expect(changed.status).toBe(200);
    const stale = await api.patch(`/v1/webhooks/${id}`, { description: 'b' }, first);
    expect([stale.status, stale.body.details.reason]).toEqual([412, 'stale_version']);
    const fresh = { 'if-match': changed.headers['etag'] as string };
    expect((await api.delete(`/v1/webhooks/${id}`, fresh)).body).toEqual({ id, deleted: true });
  });

  test('once deleted is gone, and so are its deliveries', async () => {
    const { id } = await create();
    expect((await api.delete(`/v1/webhooks/${id}`)).body).toEqual({ id, deleted: true });
    const answers = await Promise.all([
      api.get(`/v1/webhooks/${id}`),
      api.patch(`/v1/webhooks/${id}`, { url: 'no url' }),
      api.delete(`/v1/webhooks/${id}`),
      api.post(`/v1/webhooks/${id}/rotate`, {}),
      api.post(`/v1/webhooks/${id}/test`, { eventKind: 'no kind' }),
      api.get(`/v1/webhooks/${id}/deliveries`),
      api.get(`/v1/webhooks/${id}/deliveries/1`),
      api.post(`/v1/webhooks/${id}/deliveries/1/replay`, {}),
      api.post(`/v1/webhooks/${id}/replay-failed`, {}),
      api.post(`/v1/webhooks/${id}/replay-failed`, { since: '2020-01-01T00:00:00Z' }),
    ]);
    for (const { status, body } of answers)
      expect({ status, body }).toEqual({
        status: 404,
        body: { error: 'not_found', message: 'webhook endpoint not found', details: null },
      });
  });

  test('is not found in another environment or workspace', async () => {
    const { id } = await create();
    const stranger = await newWorkspace();
    for (const client of [stranger.live, stranger.test]) {
      await client.get(`/v1/webhooks/${id}`, undefined, 404);
      await client.patch(`/v1/webhooks/${id}`, { isActive: false }, 404);
    }
    await workspace.test.get(`/v1/webhooks/${id}`, undefined, 404);
  });
});

describe('a rotation', () => {
  test('replaces the secret of every endpoint and gives the old one a day', async () => {
    const { live } = await newWorkspace();
    const [one, other] = [await create(live), await create(live)];
    const { status, body } = await live.post(`/v1/webhooks/${one.id}/rotate`, {});
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        secret,
        secretHint: body.secret.slice(-4),
        previousValidUntil: time,
        endpointIds: [one.id, other.id],
      },
    });
    expect(body.secret).not.toBe(one.secret);
    const graceMinutes = (Date.parse(body.previousValidUntil) - now()) / 60_000;
    expect(graceMinutes).toBeGreaterThan(1435);
    expect(graceMinutes).toBeLessThanOrEqual(1440);
    for (const { id } of [one, other])
      expect((await live.get(`/v1/webhooks/${id}`)).body.secretHint).toBe(body.secretHint);
    expect((await create(live)).secret).toBe(body.secret);
  });

  test('without a grace ends the old one at once', async () => {
    const { id } = await create();
    const { body } = await api.post(`/v1/webhooks/${id}/rotate`, { graceMinutes: 0 });
    expect(body.previousValidUntil).toBeNull();
  });

  test.each([-1, 1441, 1.5, '5'])('has no grace of %j', async (graceMinutes) => {
    const { id } = await create();
    await api.post(`/v1/webhooks/${id}/rotate`, { graceMinutes }, 400);
  });
});

test('every event kind has a description and the body of an event as its example', async () => {
  const { status, body } = await api.get('/v1/webhooks/event-kinds');
  expect(status).toBe(200);
  expect(body.items.map(({ kind }: { kind: string }) => kind)).toEqual(Object.keys(eventKinds));
  for (const { kind, description, example } of body.items) {
    expect({ kind, description, example }).toEqual({
      kind,
      description: expect.stringMatching(/^.{10,}\.$/),
      example: {
        event: kind,
        id: expect.stringMatching(/^evt_[0-9a-f]{33,}$/),
        timestamp: time,
        sequence: kind === 'webhook.test' ? null : expect.any(Number),
        livemode: true,
        data: expect.any(Object),
      },
    });
    for (const key of Object.keys(example.data)) expect(key).toMatch(/^[a-z_]+$/);
  }
});
