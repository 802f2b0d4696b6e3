import { expect, test } from 'vitest';
import { api, freshAddress } from '#test/client.ts';
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
  const { client: elsewhere } = await workspace.mint({ rateLimitPerMinute: 1, ipAllowlist: ['192.0.2.1'] });
  for (const limited of [narrow, elsewhere]) {
    const statuses = [(await limited.get('/v1/deals')).status, (await limited.get('/v1/deals')).status];
    expect(statuses).toEqual([403, 429]);
  }
  // The workspace's other keys have their own allowance.
  expect((await workspace.live.get('/v1/me')).status).toBe(200);
}, 60_000);

test('calls of one key at the same moment are counted exactly', async () => {
  const workspace = await newWorkspace();
  const { client } = await workspace.mint({ rateLimitPerMinute: 10 });
  const secondsLeft = 60 - (Math.floor(Date.now() / 1000) % 60);
  if (secondsLeft < 10) await new Promise((resolve) => setTimeout(resolve, (secondsLeft + 1) * 1000));
  const answers = await Promise.all(Array.from({ length: 30 }, () => client.get('/v1/me')));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
}, 60_000);

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
}, 60_000);
