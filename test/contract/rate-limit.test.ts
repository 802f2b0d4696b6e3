import { expect, test } from 'vitest';
import { rowKey } from '#lib/table/keys.ts';
import { writeIf } from '#lib/table/update.ts';
import { api, eventually, everyItem, freshAddress } from '#test/client.ts';
import { newWorkspace } from '#test/workspace.ts';

test('a key has so many requests a minute: the next is 429 and says when to come back', async () => {
  const workspace = await newWorkspace();
  const { client } = await workspace.mint({ rateLimitPerMinute: 5 });
  // The window must not turn during the test.
  const secondsLeft = 60 - (Math.floor(Date.now() / 1000) % 60);
  if (secondsLeft < 10) await new Promise((resolve) => setTimeout(resolve, (secondsLeft + 1) * 1000));
  const remaining: string[] = [];
  for (let call = 0; call < 5; call += 1) {
    const { status, headers } = await client.get('/v1/me');
    expect(status).toBe(200);
    expect(headers['x-ratelimit-limit']).toBe('5');
    remaining.push(headers['x-ratelimit-remaining'] as string);
  }
  expect(remaining).toEqual(['4', '3', '2', '1', '0']);
  const refused = await client.get('/v1/me');
  expect(refused.status).toBe(429);
  expect(refused.body).toEqual({
    error: 'rate_limited',
    message: expect.any(String),
    details: { retryAfterSeconds: Number(refused.headers['retry-after']) },
  });
  expect(refused.headers['x-ratelimit-remaining']).toBe('0');
  const reset = Number(refused.headers['x-ratelimit-reset']);
  expect(reset % 60).toBe(0);
  expect(reset).toBeGreaterThan(Date.now() / 1000);
  // Also where the key may not go.
  const { client: narrow } = await workspace.mint({ rateLimitPerMinute: 1, scopes: ['contacts:read'] });
  const statuses = [(await narrow.get('/v1/deals')).status, (await narrow.get('/v1/deals')).status];
  expect(statuses).toEqual([403, 429]);
  // The workspace's other keys have their own allowance.
  await workspace.live.get('/v1/me', undefined, 200);
});

test('calls of one key at the same moment are counted exactly', async () => {
  const workspace = await newWorkspace();
  const { client } = await workspace.mint({ rateLimitPerMinute: 10 });
  const secondsLeft = 60 - (Math.floor(Date.now() / 1000) % 60);
  if (secondsLeft < 10) await new Promise((resolve) => setTimeout(resolve, (secondsLeft + 1) * 1000));
  const answers = await Promise.all(Array.from({ length: 30 }, () => client.get('/v1/me')));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
});

test('requests from an address that the key does not allow leave its minute to its owner, and have 60 of their own', async () => {
  const workspace = await newWorkspace();
  const [home, abroad] = [freshAddress(), freshAddress()];
  const { key, keyId } = await workspace.mint({ rateLimitPerMinute: 5, ipAllowlist: ['192.0.2.0/24', `${home}/32`] });
  const [owner, thief] = [api(key, { address: home }), api(key, { address: abroad })];
  const secondsLeft = 60 - (Math.floor(Date.now() / 1000) % 60);
  if (secondsLeft < 15) await new Promise((resolve) => setTimeout(resolve, (secondsLeft + 1) * 1000));
  expect((await owner.get('/v1/me')).headers['x-ratelimit-remaining']).toBe('4');
  const answers = await Promise.all(Array.from({ length: 70 }, () => thief.get('/v1/me')));
  expect(answers.filter(({ status, body }) => status === 403 && body.details.reason === 'ip_not_allowed')).toHaveLength(
    60,
  );
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(10);
  expect((await owner.get('/v1/me')).headers['x-ratelimit-remaining']).toBe('3');
  expect((await api(undefined, { address: abroad }).get('/healthz')).headers['x-ratelimit-remaining']).toBe('59');
  const refusals = await eventually(async () => {
    const found = await everyItem(workspace.live, '/v1/audit-events', { keyId, limit: 100 });
    return found.length >= 60 && found;
  }, 'the audit events');
  expect(refusals.map(({ status, ip }) => [status, ip])).toEqual(refusals.map(() => [403, abroad]));
});

test('a changed allowlist holds from the next call on', async () => {
  const workspace = await newWorkspace();
  const address = freshAddress();
  const { key, keyId } = await workspace.mint({ ipAllowlist: [address] });
  const client = api(key, { address });
  const { id } = (await everyItem(workspace.live, '/v1/keys')).find((one) => one.keyId === keyId);
  const answers = [];
  for (const ipAllowlist of [['192.0.2.1'], [address, '192.0.2.1'], ['192.0.2.1'], [], [address]]) {
    await workspace.live.patch(`/v1/keys/${id}`, { ipAllowlist });
    answers.push((await client.get('/v1/me')).status);
  }
  expect(answers).toEqual([403, 200, 403, 200, 200]);
});

test('requests without a valid key have 60 a minute per client address', async () => {
  const address = freshAddress();
  const anonymous = api(undefined, { address });
  const secondsLeft = 60 - (Math.floor(Date.now() / 1000) % 60);
  if (secondsLeft < 15) await new Promise((resolve) => setTimeout(resolve, (secondsLeft + 1) * 1000));
  const first = await anonymous.get('/healthz');
  expect([
    first.status,
    first.body,
    first.headers['x-ratelimit-limit'],
    first.headers['x-ratelimit-remaining'],
  ]).toEqual([200, { status: 'ok' }, '60', '59']);
  const answers = await Promise.all(Array.from({ length: 60 }, () => anonymous.get('/v1/me')));
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(59);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
  expect((await api(undefined, { address: freshAddress() }).get('/v1/me')).status).toBe(401);
});

test('a minute that a clock far ahead of ours has opened is over at once', async () => {
  const workspace = await newWorkspace();
  const { client, keyId } = await workspace.mint({ rateLimitPerMinute: 5 });
  await client.get('/v1/me');
  const window = Math.floor(Date.now() / 60_000) * 60 + 3600;
  await writeIf({ key: rowKey('key', { keyId }), set: { window, used: 5 } });
  const { status, headers } = await client.get('/v1/me');
  expect([status, headers['x-ratelimit-remaining']]).toEqual([200, '4']);
});
