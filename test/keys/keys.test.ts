import { beforeAll, describe, expect, test } from 'vitest';
import { identify } from '#lib/auth/identify-key.ts';
import { Keys } from '#lib/auth/key.ts';
import { fromNow, hourMs, minuteMs, now } from '#lib/core/clock.ts';
import { scopes } from '#lib/core/scopes.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { MessageIds } from '#lib/entities/email-message.ts';
import { WriteConflict } from '#lib/table/change.ts';
import { commit, transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { between } from '#test/between.ts';
import { api, type Client, eventually, everyItem } from '#test/client.ts';
import { advance } from '#test/harness.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const tenant = (): Tenant => ({ workspaceId: workspace.id, env: 'live' });
const body = (fields: object = {}) => ({ name: 'Reporting', scopes: ['deals:read', 'contacts:read'], ...fields });

async function minted(fields: object = {}) {
  const { status, body: key } = await workspace.live.post('/v1/keys', body(fields));
  expect(status).toBe(201);
  return key as { id: number; keyId: string; key: string };
}

describe('minting', () => {
  test('answers the full key once, and the key works at once', async () => {
    const { status, body: key, headers } = await workspace.live.post('/v1/keys', body());
    const { keyId: callerId } = (await workspace.live.get('/v1/me')).body.apiKey;
    expect({ status, key }).toEqual({
      status: 201,
      key: {
        id: expect.any(Number),
        keyId: expect.stringMatching(/^[A-Za-z0-9]{12}$/),
        name: 'Reporting',
        env: 'live',
        scopes: ['deals:read', 'contacts:read'],
        ipAllowlist: [],
        rateLimitPerMinute: 600,
        lastUsedAt: null,
        lastUsedIp: null,
        expiresAt: null,
        createdByKeyId: callerId,
        createdAt: expect.stringMatching(/Z$/),
        revokedAt: null,
        key: expect.stringMatching(new RegExp(`^csk_live_${key.keyId}[A-Za-z0-9]{32}$`)),
      },
    });
    expect(headers).toMatchObject({ location: `/v1/keys/${key.id}`, 'cache-control': 'no-store' });
    expect((await api(key.key).get('/v1/deals')).status).toBe(200);
    const { body: shown } = await workspace.live.get(`/v1/keys/${key.id}`);
    const { key: secret, ...public_ } = key;
    expect(shown).toEqual({ ...public_, lastUsedAt: expect.any(String), lastUsedIp: '127.0.0.1' });
    expect(JSON.stringify(shown)).not.toContain(secret);
  });

  test('ignores env and says so: a key is for the environment of its maker', async () => {
    const { headers, body: key } = await workspace.test.post('/v1/keys', body({ env: 'live' }));
    expect(headers['x-ignored-parameters']).toBe('env');
    expect(key).toMatchObject({ env: 'test', key: expect.stringMatching(/^csk_test_/) });
  });

  test('refuses scopes that the caller lacks and names them', async () => {
    const { client } = await workspace.mint({ scopes: ['keys:manage', 'deals:read'] });
    expect(await client.post('/v1/keys', body({ scopes: ['deals:read', 'email:send', 'jobs:read'] }))).toMatchObject({
      status: 403,
      body: { error: 'forbidden', details: { reason: 'missing_scope', requiredScopes: ['email:send', 'jobs:read'] } },
    });
  });

  test.each([
    ['name', 'required', { name: '' }],
    ['name', 'too_long', { name: 'n'.repeat(101) }],
    ['scopes', 'too_short', { scopes: [] }],
    ['scopes[0]', 'invalid_enum', { scopes: ['all'] }],
    ['ipAllowlist[0]', 'invalid_format', { ipAllowlist: ['10.0.0.256'] }],
    ['ipAllowlist', 'too_many', { ipAllowlist: Array.from({ length: 51 }, (_, index) => `10.0.0.${index}`) }],
    ['expiresAt', 'out_of_range', { expiresAt: '2020-01-01T00:00:00Z' }],
  ])('refuses a body whose %s is %s', async (field, code, fields) => {
    const { status, body: problem } = await workspace.live.post('/v1/keys', body(fields));
    expect({ status, fields: problem.details.fields }).toMatchObject({ status: 400, fields: [{ field, code }] });
  });

  test('stops at a hundred unrevoked keys under concurrent calls', async () => {
    const full = await newWorkspace();
    // Where many write one row, the slowest may be told to come again.
    const mint = async () => {
      const answer = await full.live.post('/v1/keys', body());
      return answer.status === 503 ? full.live.post('/v1/keys', body()) : answer;
    };
    const mintMany = (count: number) => Promise.all(Array.from({ length: count }, mint));
    const answers = [];
    for (const count of [18, 18, 18, 18, 18, 20]) answers.push(...(await mintMany(count)));
    const refused = answers.filter(({ status }) => status === 409);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(98);
    expect(refused).toHaveLength(12);
    expect(refused[0]?.body.details).toEqual(because('limit_reached'));
    const [newest] = (await full.live.get('/v1/keys', { limit: 1 })).body.items;
    await full.live.delete(`/v1/keys/${newest.id}`);
    await full.live.post('/v1/keys', body(), 201);
    await full.live.post('/v1/keys', body(), 409);
  });
});

describe('a key', () => {
  test('stops at once when it is revoked, and revoking it again answers the same', async () => {
    const { id, keyId, key } = await minted();
    const revoked = await workspace.live.delete(`/v1/keys/${id}`);
    expect(revoked).toMatchObject({ status: 200, body: { id, keyId, revoked: true, revokedAt: expect.any(String) } });
    expect(await api(key).get('/v1/deals')).toMatchObject({
      status: 401,
      body: { details: { reason: 'revoked_key' } },
    });
    expect((await workspace.live.delete(`/v1/keys/${id}`)).body).toEqual(revoked.body);
    expect(await workspace.live.patch(`/v1/keys/${id}`, { name: 'Again' })).toMatchObject({
      status: 409,
      body: { details: { reason: 'key_revoked' } },
    });
  });

  test('may revoke itself', async () => {
    const { client, keyId } = await workspace.mint();
    const { id } = (await everyItem(client, '/v1/keys')).find((key) => key.keyId === keyId);
    await client.delete(`/v1/keys/${id}`, 200);
    await client.get('/v1/me', undefined, 401);
  });

  test('loses any scope, and gains those that the caller has', async () => {
    const { client } = await workspace.mint({ scopes: ['keys:manage', 'contacts:read', 'jobs:read'] });
    const { id } = await minted({ scopes: ['contacts:read'] });
    expect((await client.patch(`/v1/keys/${id}`, { scopes: ['contacts:read', 'jobs:read'] })).body.scopes).toEqual([
      'contacts:read',
      'jobs:read',
    ]);
    expect(await client.patch(`/v1/keys/${id}`, { scopes: ['contacts:read', 'deals:read'] })).toMatchObject({
      status: 403,
      body: { details: { requiredScopes: ['deals:read'] } },
    });
  });

  test('cannot lock itself out, but may be limited to where it is used from', async () => {
    const { client, keyId } = await workspace.mint();
    const { id } = (await everyItem(client, '/v1/keys')).find((key) => key.keyId === keyId);
    expect(await client.patch(`/v1/keys/${id}`, { ipAllowlist: ['10.0.0.0/8'] })).toMatchObject({
      status: 409,
      body: { details: { reason: 'self_lockout' } },
    });
    await client.patch(`/v1/keys/${id}`, { ipAllowlist: ['127.0.0.0/8', '::1'] }, 200);
    await client.get('/v1/me', undefined, 200);
    expect((await workspace.live.patch(`/v1/keys/${id}`, { ipAllowlist: null })).body.ipAllowlist).toEqual([]);
  });

  test('is counted exactly while it is changed', async () => {
    const { id, key, keyId } = await minted();
    const client = api(key);
    await client.get('/v1/me');
    const stored = () => transact(tenant(), operator, (tx) => tx.get(Keys, { keyId }));
    const change = new UnitOfWork(tenant(), operator);
    const read = await change.get(Keys, { keyId });
    for (let call = 0; call < 3; call += 1) await client.get('/v1/me');
    const { used, window, lastUsedAt, lastUsedIp } = await stored();
    expect(used).not.toBe(read.used);
    change.update(Keys, { ...read, name: 'Changed', scopes: ['deals:read'] });
    await commit(change);
    expect(await stored()).toMatchObject({
      name: 'Changed',
      scopes: ['deals:read'],
      used,
      window,
      lastUsedAt,
      lastUsedIp,
    });
    const late = new UnitOfWork(tenant(), operator);
    const before = await late.get(Keys, { keyId });
    await workspace.live.patch(`/v1/keys/${id}`, { name: 'Meanwhile' });
    late.update(Keys, { ...before, name: 'Late' });
    await expect(commit(late)).rejects.toThrow(WriteConflict);
  });

  test('is refused from any other address than those of its allowlist', async () => {
    const { key } = await minted({ ipAllowlist: ['10.1.2.3'] });
    expect(await api(key).get('/v1/deals')).toMatchObject({
      status: 403,
      body: { details: { reason: 'ip_not_allowed' } },
    });
  });

  test('keeps its ETag while it is only used, so that If-Match means a change', async () => {
    const { id, key } = await minted();
    const { headers } = await workspace.live.get(`/v1/keys/${id}`);
    const etag = headers['etag'] as string;
    await api(key).get('/v1/deals');
    expect((await workspace.live.patch(`/v1/keys/${id}`, { name: 'Renamed' }, { 'if-match': etag })).status).toBe(200);
    expect((await workspace.live.patch(`/v1/keys/${id}`, { name: 'Late' }, { 'if-match': etag })).status).toBe(412);
  });

  test('is not found in another workspace', async () => {
    const other = await newWorkspace();
    const [{ id }] = (await other.live.get('/v1/keys')).body.items;
    const mine = await everyItem(workspace.live, '/v1/keys');
    const foreign = mine.some((key) => key.id === id) ? 2_000_000_000 : id;
    for (const answer of [
      await workspace.live.get(`/v1/keys/${foreign}`),
      await workspace.live.patch(`/v1/keys/${foreign}`, { name: 'Mine' }),
      await workspace.live.delete(`/v1/keys/${foreign}`),
    ])
      expect(answer).toMatchObject({ status: 404, body: { error: 'not_found', details: null } });
  });

  test('is stored without its secret', async () => {
    const { key, keyId } = await minted();
    const stored = await transact({ workspaceId: workspace.id, env: 'live' }, operator, (tx) =>
      tx.get(Keys, { keyId }),
    );
    expect(JSON.stringify(stored)).not.toContain(key.slice(-32));
  });
});

test('a key is counted exactly while it is changed together with much else', async () => {
  const { key, keyId } = await minted();
  const client = api(key);
  await client.get('/v1/me');
  const stored = () => transact(tenant(), operator, (tx) => tx.get(Keys, { keyId }));
  const change = new UnitOfWork(tenant(), operator);
  const read = await change.get(Keys, { keyId });
  await client.get('/v1/me');
  const { used, window } = await stored();
  change.update(Keys, { ...read, name: 'With much else' });
  for (let id = 1; id <= 60; id += 1) change.create(MessageIds, { messageId: `${keyId}-${id}`, threadId: 1, id });
  await commit(change);
  expect(await stored()).toMatchObject({ name: 'With much else', used, window });
  const again = new UnitOfWork(tenant(), operator);
  again.update(Keys, { ...(await again.get(Keys, { keyId })), name: 'Once more' });
  await commit(again);
  expect(await stored()).toMatchObject({ name: 'Once more', used, window });
});

test('a key with an allowlist is identified in one round trip, once this process knows the allowlist', async () => {
  const trips = async (work: () => Promise<unknown>) => {
    let count = 0;
    await between((_, next) => {
      count += 1;
      return next();
    }, work);
    return count;
  };
  const { key } = await workspace.mint({ ipAllowlist: ['192.0.2.0/24'] });
  const here = () => identify(`Bearer ${key}`, '192.0.2.7');
  const elsewhere = () => expect(identify(`Bearer ${key}`, '198.51.100.1')).rejects.toMatchObject({ status: 403 });
  // A minute's first call writes the minute as well.
  await advance(minuteMs - (now() % minuteMs));
  expect([await trips(here), await trips(here), await trips(elsewhere), await trips(here)]).toEqual([2, 1, 1, 1]);
});

describe('a key is never made stronger than its maker', () => {
  const inAnHour = fromNow(hourMs);
  const inTwoHours = fromNow(2 * hourMs);
  const bounds = { expiresAt: inAnHour, ipAllowlist: ['127.0.0.0/8', '2001:db8::/32'], rateLimitPerMinute: 20 };
  const refused = (field: string | undefined) => ({
    status: 403,
    body: { error: 'forbidden', details: { reason: 'stronger_key', field } },
  });
  let client: Client;
  let ownId: number;
  beforeAll(async () => {
    const caller = await workspace.mint({ scopes: ['keys:manage', 'deals:read'], ...bounds, rateLimitPerMinute: 1000 });
    client = caller.client;
    ownId = (await everyItem(workspace.live, '/v1/keys')).find(({ keyId }) => keyId === caller.keyId).id;
  });

  test('minted, it has the bounds of its maker unless it asks for narrower ones', async () => {
    const few = await workspace.mint({ scopes: ['keys:manage', 'deals:read'], ...bounds });
    expect((await few.client.post('/v1/keys', body({ scopes: ['deals:read'] }))).body).toMatchObject(bounds);
    const narrower = {
      expiresAt: fromNow(minuteMs),
      ipAllowlist: ['127.0.0.1', '2001:db8:1::/48'],
    };
    expect((await client.post('/v1/keys', body({ scopes: ['deals:read'], ...narrower }))).body).toMatchObject({
      ...narrower,
      rateLimitPerMinute: 600,
    });
  });

  const wider = [
    { expiresAt: null },
    { expiresAt: inTwoHours },
    { ipAllowlist: [] },
    { ipAllowlist: ['127.0.0.1', '10.0.0.1'] },
    { ipAllowlist: ['126.0.0.0/7'] },
    { ipAllowlist: ['0.0.0.0/0'] },
    { ipAllowlist: ['::/0'] },
    { ipAllowlist: ['2001:db8::/31'] },
  ];
  test.each(wider)('minted or changed with %j, it is refused', async (fields) => {
    const refusal = refused(Object.keys(fields)[0]);
    expect(await client.post('/v1/keys', body({ scopes: ['deals:read'], ...fields }))).toMatchObject(refusal);
    const { body: child } = await client.post('/v1/keys', body({ scopes: ['deals:read'] }));
    for (const id of [child.id, ownId]) {
      expect(await client.patch(`/v1/keys/${id}`, fields)).toMatchObject(refusal);
    }
    await client.delete(`/v1/keys/${child.id}`);
  });

  test('and one that has more is not to be changed, but to be revoked', async () => {
    const stronger = [
      { scopes: ['deals:read', 'deals:write'] as const },
      { rateLimitPerMinute: 1001 },
      { expiresAt: inTwoHours },
      { expiresAt: null },
      { ipAllowlist: [] },
      { ipAllowlist: ['127.0.0.1', '192.0.2.1'] },
    ];
    for (const more of stronger) {
      const { keyId } = await workspace.mint({ scopes: ['deals:read'], ...bounds, ...more });
      const { id } = (await everyItem(workspace.live, '/v1/keys')).find((key) => key.keyId === keyId);
      for (const fields of [{ name: 'Mine' }, { scopes: ['deals:read'] }, { ipAllowlist: ['127.0.0.1'] }, {}])
        expect(await client.patch(`/v1/keys/${id}`, fields)).toMatchObject(refused(Object.keys(more)[0]));
      await client.delete(`/v1/keys/${id}`, 200);
    }
  });

  test('but of two keys alike one may change the other, and itself to less', async () => {
    const { keyId } = await workspace.mint({
      scopes: ['keys:manage', 'deals:read'],
      ...bounds,
      rateLimitPerMinute: 1000,
    });
    const { id } = (await everyItem(workspace.live, '/v1/keys')).find((key) => key.keyId === keyId);
    await client.patch(`/v1/keys/${id}`, { name: 'Twin', ipAllowlist: ['127.0.0.1'] }, 200);
    await client.patch(`/v1/keys/${ownId}`, { name: 'Self', expiresAt: inAnHour }, 200);
  });
});

test('a key with something behind it is malformed', async () => {
  for (const more of [' x', ' , Bearer x', `\t${workspace.liveKey}`]) {
    const answer = await api(undefined).get('/v1/me', undefined, {
      authorization: `Bearer ${workspace.liveKey}${more}`,
    });
    expect([answer.status, answer.body.details]).toEqual([401, because('malformed_key')]);
  }
});

test('a test key changes no live key', async () => {
  const of = await newWorkspace();
  const { items } = (await of.test.get('/v1/keys', { env: 'live' })).body;
  for (const answer of [
    await of.test.patch(`/v1/keys/${items[0].id}`, { name: 'taken over' }),
    await of.test.delete(`/v1/keys/${items[0].id}`),
  ]) {
    expect([answer.status, answer.body.error, answer.body.details]).toEqual([403, 'forbidden', because('live_key')]);
  }
  expect((await of.live.get(`/v1/keys/${items[0].id}`)).body).toMatchObject({ name: 'test', revokedAt: null });
});

test('the list filters by environment and revocation', async () => {
  const of = await newWorkspace();
  const { client: third } = await of.mint({ name: 'third', scopes });
  const [{ id }] = (await third.get('/v1/keys')).body.items;
  await of.live.delete(`/v1/keys/${id}`);
  const names = async (query: object) =>
    (await everyItem(of.live, '/v1/keys', { ...query })).map(({ env, name }) => [env, name]);
  expect(await names({ isRevoked: true })).toEqual([['live', 'third']]);
  expect(await names({ isRevoked: false, env: 'live' })).toEqual([['live', 'test']]);
  expect(await names({ env: 'TEST' })).toEqual([['test', 'test']]);
  expect((await everyItem(of.live, '/v1/keys', { limit: 1 })).length).toBe(3);
});

describe('the audit trail', () => {
  test('has every write and every refusal of a known key, and nothing else', async () => {
    const of = await newWorkspace();
    const { client, keyId } = await of.mint({ scopes: ['contacts:read', 'contacts:write'] });
    const { body: contact } = await client.post(
      '/v1/contacts',
      { name: 'Ann' },
      { 'user-agent': 'tests/1', 'x-request-id': 'r-1' },
    );
    await client.get(`/v1/contacts/${contact.id}`);
    await client.post('/v1/contacts', {});
    await client.get('/v1/deals');
    const events = await eventually(async () => {
      const { body: page } = await of.live.get('/v1/audit-events', { keyId });
      return page.items.length >= 3 && page.items;
    }, 'the audit events');
    expect(events.map(({ method, path, status }: Record<string, unknown>) => [method, path, status])).toEqual([
      ['GET', '/v1/deals', 403],
      ['POST', '/v1/contacts', 400],
      ['POST', '/v1/contacts', 201],
    ]);
    expect(events[2]).toEqual({
      id: expect.any(Number),
      keyId,
      actor: { type: 'api_key', id: keyId },
      method: 'POST',
      path: '/v1/contacts',
      status: 201,
      ip: '127.0.0.1',
      userAgent: 'tests/1',
      requestId: 'r-1',
      resourceType: 'contact',
      resourceId: contact.id,
      createdAt: expect.stringMatching(/Z$/),
    });
    const statuses = async (query: Record<string, string>) =>
      (await everyItem(of.live, '/v1/audit-events', { keyId, ...query })).map(({ status }) => status);
    expect(await statuses({ method: 'get' })).toEqual([403]);
    expect(await statuses({ until: '2020-01-01T00:00:00Z' })).toEqual([]);
    expect(await statuses({ since: events[2].createdAt })).toEqual([403, 400, 201]);
  });
});
