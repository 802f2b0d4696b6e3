import { randomInt } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { chunks } from '#lib/core/async.ts';
import { minuteMs, now, secondMs } from '#lib/core/clock.ts';
import { rowKey } from '#lib/table/keys.ts';
import { writeIf } from '#lib/table/write.ts';
import { between } from '#test/between.ts';
import { api, type Client, eventually, everyItem, freshAddress } from '#test/client.ts';
import { advance } from '#test/harness.ts';
import { mcp } from '#test/mcp/client.ts';
import { unitsRead } from '#test/rows.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

/** The window does not turn during a test that begins with it. */
const toNextMinute = () => advance(minuteMs - (now() % minuteMs));

test('a key has so many requests a minute: the next is 429 and says when to come back', async () => {
  const workspace = await newWorkspace();
  const { client } = await workspace.mint({ rateLimitPerMinute: 5 });
  await toNextMinute();
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
  expect(reset * 1000).toBeGreaterThan(now());
  await advance(Number(refused.headers['retry-after']) * secondMs);
  expect((await client.get('/v1/me', undefined, 200)).headers['x-ratelimit-remaining']).toBe('4');
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
  await toNextMinute();
  const answers = await Promise.all(Array.from({ length: 30 }, () => client.get('/v1/me')));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
});

const toolCall = (name: string, args: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});

test.each([
  ['/v1/contacts/batch', (items: object[]) => ({ items })],
  ['/mcp', (items: object[]) => toolCall('records_batch', { resource: 'contacts', items })],
  ['/mcp', (items: object[]) => toolCall('records_batch', { resource: 'contacts', items: JSON.stringify(items) })],
])('a batch at %s holds half a point for each item while it runs, and gives back the rest', async (path, bodyOf) => {
  const workspace = await newWorkspace();
  const { client } = await workspace.mint({ rateLimitPerMinute: 600 });
  await toNextMinute();
  const items = Array.from({ length: 100 }, () => ({ op: 'update', id: 2_000_000_000, name: 'Nobody' }));
  const [wake, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const batch = between(
    async ({ operation }, next) => {
      if (operation === 'GetItem' || operation === 'BatchGetItem') {
        held.resolve();
        await wake.promise;
      }
      return next();
    },
    () => client.post(path, bodyOf(items), 200),
  );
  await held.promise;
  const meanwhile = await client.get('/v1/me', undefined, 200);
  wake.resolve();
  const { headers } = await batch;
  expect(meanwhile.headers['x-ratelimit-remaining']).toBe('548');
  // A hundred reads of nobody and their audit are three points.
  expect(Number(headers['x-ratelimit-remaining'])).toBeGreaterThanOrEqual(595);
});

test('refused addresses spend 60 requests a minute of their own, and none of the key’s', async () => {
  const workspace = await newWorkspace();
  const [home, abroad] = [freshAddress(), freshAddress()];
  const { key, keyId } = await workspace.mint({ rateLimitPerMinute: 5, ipAllowlist: ['192.0.2.0/24', `${home}/32`] });
  const [owner, thief] = [api(key, { address: home }), api(key, { address: abroad })];
  await toNextMinute();
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
  await toNextMinute();
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
  const window = Math.floor(now() / minuteMs) * 60 + 3600;
  await writeIf({ key: rowKey('key', { keyId }), set: { window, used: 5 } });
  const { status, headers } = await client.get('/v1/me');
  expect([status, headers['x-ratelimit-remaining']]).toEqual([200, '4']);
});

/** What a call of a key that nobody else uses counts, by what is left before and after it. */
async function pointsOf({ get }: Client, limit: number, call: () => Promise<{ headers: Record<string, string> }>) {
  const before = Number((await get('/v1/me')).headers['x-ratelimit-remaining']);
  const { headers } = await call();
  const left = Number(headers['x-ratelimit-remaining']);
  // The headers of a call say what those of the next one do.
  expect(Number((await get('/v1/me')).headers['x-ratelimit-remaining'])).toBe(left - 1);
  expect(headers['x-ratelimit-limit']).toBe(String(limit));
  return before - left;
}

/** A workspace with 80 deals of 40 KB, ten read units each. */
let heavy: TestWorkspace;
beforeAll(async () => {
  heavy = await newWorkspace();
  const items = Array.from({ length: 80 }, (_, index) => ({
    op: 'create',
    title: `Deal ${index}`,
    notes: '\u{20000}'.repeat(10_000),
  }));
  // A body has a megabyte at most.
  for (const some of chunks(items, 20))
    expect((await heavy.live.post('/v1/deals/batch', { items: some })).body.succeeded).toBe(some.length);
});

test('a call counts one more for every 200 read units above the first 200, as its headers say', async () => {
  const limit = 100;
  const { client } = await heavy.mint({ rateLimitPerMinute: limit });
  await toNextMinute();
  for (const [pages, points] of [
    [15, 1],
    [35, 2],
    [45, 2],
    [80, 3],
  ] as const) {
    let units = 0;
    const counted = await pointsOf(client, limit, async () => {
      let answer = { headers: {} };
      units = await unitsRead(async () => {
        answer = await client.get('/v1/deals', { limit: pages }, 200);
      });
      return answer;
    });
    expect([counted, Math.max(1, Math.floor(units / 200))], `${pages} deals, ${units} units`).toEqual([points, points]);
  }
});

test('a call that takes little writes nothing more than its one count', async () => {
  const { client, keyId } = await heavy.mint({ rateLimitPerMinute: 100 });
  await client.get('/v1/me');
  const countsOf = async (call: () => Promise<unknown>) => {
    let counts = 0;
    await between(async ({ operation, input }, next) => {
      const { pk } = (input['Key'] ?? {}) as { pk?: string };
      if (operation === 'UpdateItem' && pk === rowKey('key', { keyId }).pk) counts += 1;
      return next();
    }, call);
    return counts;
  };
  await toNextMinute();
  await client.get('/v1/me');
  expect(await countsOf(() => client.get('/v1/deals', { limit: 10 }, 200))).toBe(1);
  expect(await countsOf(() => client.post('/v1/contacts', { name: 'Ann' }, 201))).toBe(1);
  expect(await countsOf(() => client.get('/v1/deals', { limit: 80 }, 200))).toBe(2);
});

test('a write unit counts as five read units, also of the kept answer that a replay meets', async () => {
  const workspace = await newWorkspace();
  const limit = 1_000;
  const { client } = await workspace.mint({ rateLimitPerMinute: limit });
  const items = Array.from({ length: 100 }, (_, index) => ({ op: 'create', name: `Contact ${index}` }));
  await toNextMinute();
  const points = await pointsOf(client, limit, () => client.post('/v1/contacts/batch', { items }));
  // Some twenty write units for each contact.
  expect(points).toBeGreaterThan(20);
  expect(points).toBeLessThan(100);
  // Farther apart than what packs texts looks back.
  const notes = () => Array.from({ length: 10_000 }, () => String.fromCodePoint(0x20000 + randomInt(0xa000))).join('');
  const large = Array.from({ length: 20 }, (_, index) => ({ op: 'create', name: `C${index}`, notes: notes() }));
  const send = () => client.post('/v1/contacts/batch', { items: large }, { 'idempotency-key': 'kept' });
  expect((await send()).body.succeeded).toBe(20);
  const replay = async () => {
    const answer = await send();
    expect(answer.headers['idempotency-replayed']).toBe('true');
    return answer;
  };
  // 300 KB in the row of the claim, which its condition is asked of.
  expect(await pointsOf(client, limit, replay)).toBeGreaterThan(5);
});

test('a tool call of MCP counts what it takes', async () => {
  const limit = 100;
  const { client, key } = await heavy.mint({ rateLimitPerMinute: limit });
  await toNextMinute();
  const list = () => mcp(key).modern('tools/call', { name: 'deals_search', arguments: { limit: 80 } });
  expect(await pointsOf(client, limit, list)).toBeGreaterThan(1);
});

test('a stolen key that reads all that it can is stopped within its minute', async () => {
  const { client } = await heavy.mint({ rateLimitPerMinute: 12 });
  await toNextMinute();
  let calls = 0;
  const units = await unitsRead(async () => {
    for (let status = 200; status === 200; calls += 1) ({ status } = await client.get('/v1/deals', { limit: 80 }));
  });
  expect(calls).toBeLessThan(6);
  expect(units).toBeLessThan(12 * 400);
  const { status, headers } = await client.get('/v1/me');
  expect([status, headers['x-ratelimit-remaining']]).toEqual([429, '0']);
  await heavy.live.get('/v1/me', undefined, 200);
});
