import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as v from 'valibot';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { commands } from '#infra/admin/commands/revenue-source.ts';
import { hourMs, nextDay, shifted } from '#lib/core/clock.ts';
import { operator } from '#lib/core/tenant.ts';
import { IngestedRows, RevenueSources } from '#lib/entities/revenue-source.ts';
import { connectRevenueSource, createRevenueSource, pauseRevenueSource } from '#lib/finance/revenue-source-store.ts';
import { today } from '#lib/table/daily.ts';
import { remaining, settle, take } from '#lib/table/quota.ts';
import { transact } from '#lib/table/transact.ts';
import { between } from '#test/between.ts';
import { eventually, everyItem } from '#test/client.ts';
import { eventsAbout } from '#test/feed.ts';
import { settle as settleAll } from '#test/harness.ts';
import { sealedByAnother } from '#test/sealed.ts';
import { breakRow } from '#test/table/break-row.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);

/** A feed per path, and what it was last asked with. */
interface Feed {
  status: number;
  body: string;
  /** Answered once this is. */
  until?: Promise<void> | undefined;
  authorization?: string | undefined;
  calls: number;
}
const feeds = new Map<string, Feed>();
const server = createServer(async (request, response) => {
  const feed = feeds.get(request.url as string) as Feed;
  Object.assign(feed, { authorization: request.headers.authorization, calls: feed.calls + 1 });
  await feed.until;
  response.writeHead(feed.status).end(feed.body);
});
let origin: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const serve = (path: string, body: unknown, status = 200, until?: Promise<void>) =>
  feeds.set(path, { status, body: typeof body === 'string' ? body : JSON.stringify(body), until, calls: 0 });

/** Begins what is due, and returns once a feed was asked so often. The work goes on when the feed answers. */
async function untilAsked(path: string, calls: number): Promise<{ work: Promise<void> }> {
  const work = settleAll();
  await vi.waitFor(() => expect(feeds.get(path)?.calls).toBe(calls), { timeout: 10_000, interval: 5 });
  return { work };
}

async function connect(workspace: TestWorkspace, path: string, fields: object = {}): Promise<number> {
  const input = v.parse(commands.create.input, {
    ...{ workspaceId: workspace.id, env: 'live', name: 'Shop', mode: 'pull', feedUrl: `${origin}${path}` },
    ...{ defaultCurrency: 'EUR', pullIntervalMinutes: 60, ...fields },
  });
  return (await commands.create.run(input)).id;
}

const sourceOf = async (workspace: TestWorkspace, id: number) =>
  (await workspace.live.get('/v1/finance/revenue-sources')).body.items.find(
    (source: { id: number }) => source.id === id,
  );

const settled = (workspace: TestWorkspace, id: number, after?: string) =>
  eventually(async () => {
    const source = await sourceOf(workspace, id);
    return ['ok', 'failed'].includes(source.lastSyncStatus) && source.nextRunAt !== after && source;
  }, 'the pull to end');

/** As if its next pull were due, or its pull had taken too long. */
const makeDue = (workspace: TestWorkspace, id: number, field: 'nextRunAt' | 'leasedUntil' = 'nextRunAt') =>
  transact({ workspaceId: workspace.id, env: 'live' }, operator, async (tx) => {
    const source = await tx.get(RevenueSources, { id });
    tx.update(RevenueSources, { ...source, [field]: tx.now });
    return tx.now;
  });

test('a new source is pulled at once with its credential, and its rows are booked', async () => {
  const workspace = await newWorkspace();
  serve('/full', [
    { id: 'a', amount: 10.5, category: 'Sales', description: 'Order', occurredAt: '2026-01-02T03:04:05+01:00' },
    { id: 7, type: 'expense', amount: 0.1, currency: 'usd' },
    { id: 'a', amount: 99 },
  ]);
  const id = await connect(workspace, '/full', { credential: 'token-1' });
  expect(await settled(workspace, id)).toEqual({
    id,
    name: 'Shop',
    mode: 'pull',
    defaultCurrency: 'EUR',
    isActive: true,
    feedUrl: `${origin}/full`,
    pullIntervalMinutes: 60,
    lastSyncStatus: 'ok',
    lastSyncAt: instant,
    lastSyncError: null,
    totalIngested: 2,
    lastEventAt: instant,
    nextRunAt: instant,
  });
  expect(feeds.get('/full')?.authorization).toBe('Bearer token-1');
  const booked = await everyItem(workspace.live, '/v1/finance/transactions');
  const common = { status: 'realized', contactId: null, dealId: null, invoiceId: null };
  expect(booked).toEqual([
    {
      ...{ id: expect.any(Number), ...common, type: 'expense', amount: 0.1, currency: 'USD', category: null },
      ...{ description: null, revenueSourceId: id, source: 'revenue_source', occurredAt: instant, createdAt: instant },
    },
    {
      ...{ id: expect.any(Number), ...common, type: 'income', amount: 10.5, currency: 'EUR', category: 'Sales' },
      ...{ description: 'Order', revenueSourceId: id, source: 'revenue_source', createdAt: instant },
      occurredAt: '2026-01-02T02:04:05Z',
    },
  ]);
  const { body } = await workspace.live.get('/v1/finance/revenue-sources');
  expect([body.count, body.totalIngested]).toEqual([1, 2]);
});

test('a feed that has not changed is not looked up again, and what a day takes is booked', async () => {
  const workspace = await newWorkspace();
  const tenant = { workspaceId: workspace.id, env: 'live' } as const;
  const used = async () => 10_000_000 - (await remaining(tenant, 'feedRows'));
  const rows = Array.from({ length: 20 }, (_, n) => ({ id: n, amount: 1 }));
  serve('/daily', rows);
  const id = await connect(workspace, '/daily');
  await settled(workspace, id);
  expect(await used()).toBe(20 + 20 * 25);
  const second = await settled(workspace, id, await makeDue(workspace, id));
  expect(second).toMatchObject({ lastSyncStatus: 'ok', totalIngested: 20 });
  expect([feeds.get('/daily')?.calls, await used()]).toEqual([2, 20 + 20 * 25]);

  // So that eight of the next twenty may be booked.
  await take(tenant, 'feedRows', await remaining(tenant, 'feedRows'));
  await settle(tenant, 'feedRows', { day: today(), amount: 40 + 8 * 25 + 24 }, 0);
  serve('/daily', [...rows, ...rows.map(({ id: n }) => ({ id: 100 + n, amount: 1 }))]);
  const third = await settled(workspace, id, await makeDue(workspace, id));
  const beyond = { lastSyncStatus: 'failed', lastSyncError: expect.stringContaining('tomorrow') };
  expect(third).toMatchObject({ ...beyond, totalIngested: 28 });
  expect(third.nextRunAt >= nextDay()).toBe(true);
  expect(third.nextRunAt <= shifted(nextDay(), hourMs)).toBe(true);
  const fourth = await settled(workspace, id, await makeDue(workspace, id));
  expect(fourth).toMatchObject({ ...beyond, totalIngested: 28 });
  await settle(tenant, 'feedRows', { day: today(), amount: 1000 }, 0);
  const last = await settled(workspace, id, await makeDue(workspace, id));
  expect(last).toMatchObject({ lastSyncStatus: 'ok', lastSyncError: null, totalIngested: 40 });
});

test('an environment has fifty sources, whose addresses are short as they are called', async () => {
  const workspace = await newWorkspace();
  const tenant = { workspaceId: workspace.id, env: 'live' } as const;
  const input = { name: 'S', mode: 'push', defaultCurrency: 'EUR', pullIntervalMinutes: 60, credential: null } as const;
  const create = (feedUrl: string) =>
    transact(tenant, operator, (tx) => createRevenueSource(tx, { ...input, feedUrl }));
  await expect(create(`https://example.com/${'\u{1f600}'.repeat(200)}`)).rejects.toMatchObject({ status: 400 });
  for (let n = 0; n < 49; n += 1) await create(`https://example.com/${n}`);
  // However many ask for the place of the last one.
  const last = await Promise.allSettled([49, 50, 51].map((n) => create(`https://example.com/${n}`)));
  expect(last.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  await expect(create('https://example.com/')).rejects.toMatchObject({
    details: { reason: 'limit_reached', limit: 50 },
  });
  expect((await workspace.live.get('/v1/finance/revenue-sources')).body.count).toBe(50);
});

test('a row is booked once when the feed repeats it', async () => {
  const workspace = await newWorkspace();
  const rows = Array.from({ length: 25 }, (_, n) => ({ id: n, amount: 1 }));
  serve('/growing', { items: rows.slice(0, 20) });
  const id = await connect(workspace, '/growing');
  await settled(workspace, id);
  serve('/growing', { items: rows });
  const before = await makeDue(workspace, id);
  expect(await settled(workspace, id, before)).toMatchObject({ lastSyncStatus: 'ok', totalIngested: 25 });
  expect(await everyItem(workspace.live, '/v1/finance/transactions')).toHaveLength(25);
  const [total] = (await workspace.live.get('/v1/finance/summary')).body.totals;
  expect(total).toEqual({ currency: 'EUR', income: 25, expense: 0, net: 25 });
});

test('a pull that takes too long is taken over, and what both find is booked once', async () => {
  const workspace = await newWorkspace();
  const rows = Array.from({ length: 30 }, (_, n) => ({ id: n, amount: 1 }));
  const { promise: until, resolve: answer } = Promise.withResolvers<void>();
  serve('/slow', rows, 200, until);
  const id = await connect(workspace, '/slow');
  const first = await untilAsked('/slow', 1);
  await makeDue(workspace, id, 'leasedUntil');
  const second = await untilAsked('/slow', 2);
  answer();
  await Promise.all([first.work, second.work]);
  expect(await settled(workspace, id)).toMatchObject({ lastSyncStatus: 'ok', totalIngested: 30 });
  expect(await everyItem(workspace.live, '/v1/finance/transactions')).toHaveLength(30);
});

test('a source that is paused books no more of what a pull of it has found', async () => {
  const workspace = await newWorkspace();
  serve(
    '/paused',
    Array.from({ length: 100 }, (_, n) => ({ id: n, amount: 1 })),
  );
  const id = await connect(workspace, '/paused');
  const booked = async () => (await sourceOf(workspace, id)).totalIngested;
  let before = 0;
  let isPaused = false;
  await between(async ({ operation, input }, next) => {
    const answer = await next();
    if (isPaused || operation !== 'TransactWriteItems' || !JSON.stringify(input).includes('externalId')) return answer;
    // Its first row is booked.
    isPaused = true;
    await transact({ workspaceId: workspace.id, env: 'live' }, operator, (tx) => pauseRevenueSource(tx, id));
    before = await booked();
    return answer;
  }, settleAll);
  expect(before).toBeGreaterThan(0);
  expect(await settled(workspace, id)).toMatchObject({ isActive: false, nextRunAt: null });
  const paused = await booked();
  expect(paused - before).toBeLessThanOrEqual(16);
  // The same feed holds what was left of it.
  await transact({ workspaceId: workspace.id, env: 'live' }, operator, (tx) => connectRevenueSource(tx, id, null));
  await eventually(async () => (await booked()) > paused, 'the rows that were left');
});

test('wrong rows are named and left out, the others are booked', async () => {
  const workspace = await newWorkspace();
  serve('/mixed', [{ id: 1, amount: 5 }, { id: 2, amount: -5 }, 'x', { amount: 5 }]);
  const id = await connect(workspace, '/mixed');
  expect(await settled(workspace, id)).toMatchObject({
    lastSyncStatus: 'ok',
    lastSyncError:
      '3 of 4 rows were refused: items[1].amount must be at least 0.01; items[2] must be an object; items[3].id is required',
    totalIngested: 1,
  });
});

test('half a character in a row is replaced in its texts and refused in its id', async () => {
  const workspace = await newWorkspace();
  const rows = [
    { id: 'first', amount: 1 },
    { id: 'half \ud83d', amount: 2 },
    { id: 'texts', amount: 3, description: 'cut \udfff', category: 'cut\ud83d' },
    { id: 'last', amount: 4 },
  ];
  serve('/halves', rows);
  const id = await connect(workspace, '/halves');
  expect(await settled(workspace, id)).toMatchObject({
    lastSyncStatus: 'ok',
    lastSyncError: '1 of 4 rows were refused: items[1].id must have no half of a character (a lone surrogate)',
    totalIngested: 3,
  });
  const booked = await everyItem(workspace.live, '/v1/finance/transactions');
  expect(booked.find(({ amount }) => amount === 3)).toMatchObject({ description: 'cut \ufffd', category: 'cut\ufffd' });
});

test('a row that cannot be booked is named, and those beside it are booked', async () => {
  const workspace = await newWorkspace();
  serve('/broken', [{ id: 'broken', amount: 1 }]);
  const id = await connect(workspace, '/broken');
  await settled(workspace, id);
  const place = { revenueSourceId: id, externalId: 'broken' };
  await breakRow({ workspaceId: workspace.id, env: 'live' }, IngestedRows, place, 'transactionId');
  serve(
    '/broken',
    ['broken', ...'abcdefghij'].map((of) => ({ id: of, amount: 1 })),
  );
  const before = await makeDue(workspace, id);
  expect(await settled(workspace, id, before)).toMatchObject({
    lastSyncStatus: 'ok',
    lastSyncError: '1 rows could not be booked, with the ids ["broken"]',
    totalIngested: 11,
  });
});

test.each([
  ['an error status', 'oops', 500, 'the feed answered 500'],
  ['a redirect', '', 302, 'the feed answered 302'],
  ['brackets alone', '['.repeat(1_000_000), 200, 'the feed is not valid JSON'],
  ['no JSON', '<html>', 200, 'the feed is not valid JSON'],
  ['no rows', '{"data": []}', 200, 'the feed is neither a JSON array nor an object with items'],
  ['only wrong rows', '[{}]', 200, '1 of 1 rows were refused: items[0].id is required'],
])('a feed with %s fails the pull, and the failure is an event', async (name, body, status, error) => {
  const workspace = await newWorkspace();
  const path = `/${encodeURIComponent(name)}`;
  serve(path, body, status);
  const id = await connect(workspace, path);
  const source = await settled(workspace, id);
  expect(source).toMatchObject({ lastSyncStatus: 'failed', lastSyncError: error, totalIngested: 0, lastEventAt: null });
  expect(await eventsAbout(workspace.id, `revenue-source/${id}`, 1)).toEqual([
    {
      event: 'revenue_source.sync_failed',
      data: { revenue_source_id: String(id), name: 'Shop', error, last_sync_at: source.lastSyncAt },
    },
  ]);
});

test('a feed of millions of things that are no rows costs one pull no more than a long one', async () => {
  const workspace = await newWorkspace();
  serve('/endless', `[${'0,'.repeat(4_999_999)}0]`);
  const { lastSyncStatus, lastSyncError } = await settled(workspace, await connect(workspace, '/endless'));
  expect(lastSyncStatus).toBe('failed');
  expect(lastSyncError).toMatch(
    /^100000 of 5000000 rows were refused: items\[0\] .*; 4900000 of 5000000 rows were not read/,
  );
});

test('a source to push is not pulled', async () => {
  const workspace = await newWorkspace();
  const id = await connect(workspace, '/pushed', { mode: 'push' });
  expect(await sourceOf(workspace, id)).toMatchObject({ lastSyncStatus: 'never', lastSyncAt: null, nextRunAt: null });
});

test('a credential that is given while a pull is under way is used at once', async () => {
  const workspace = await newWorkspace();
  const { promise: until, resolve: answer } = Promise.withResolvers<void>();
  serve('/renewed', [{ id: 1, amount: 1 }], 200, until);
  const id = await connect(workspace, '/renewed', { credential: 'token-1' });
  const first = await untilAsked('/renewed', 1);
  await commands.connect.run({ workspaceId: workspace.id, env: 'live', id, credential: 'token-2' });
  const second = await untilAsked('/renewed', 2);
  expect(feeds.get('/renewed')?.authorization).toBe('Bearer token-2');
  answer();
  await Promise.all([first.work, second.work]);
  expect(await settled(workspace, id)).toMatchObject({ lastSyncStatus: 'ok', totalIngested: 1 });
});

test('a credential that cannot be read fails the pull and says so, and another one is used', async () => {
  const workspace = await newWorkspace();
  serve('/lost', [{ id: 1, amount: 1 }]);
  const id = await connect(workspace, '/lost', { credential: 'token-1' });
  await settled(workspace, id);
  const credential = await sealedByAnother();
  await transact({ workspaceId: workspace.id, env: 'live' }, operator, async (tx) => {
    tx.update(RevenueSources, { ...(await tx.get(RevenueSources, { id })), credential });
  });
  await makeDue(workspace, id);
  const failed = await eventually(async () => {
    const source = await sourceOf(workspace, id);
    return source.lastSyncStatus === 'failed' && source;
  }, 'the pull to fail');
  expect(failed.lastSyncError).toBe('the credential cannot be read: give it again');
  await commands.connect.run({ workspaceId: workspace.id, env: 'live', id, credential: 'token-2' });
  await eventually(async () => feeds.get('/lost')?.authorization === 'Bearer token-2', 'the pull with the other one');
});

test('a source that rests, as after an import, is pulled at once when it is given a credential', async () => {
  const workspace = await newWorkspace();
  const place = { workspaceId: workspace.id, env: 'live' as const };
  serve('/resting', [{ id: 'a', amount: 1 }]);
  const id = await connect(workspace, '/resting', { credential: 'token-1' });
  const { nextRunAt } = await settled(workspace, id);
  await transact(place, operator, async (tx) => {
    const source = await tx.get(RevenueSources, { id });
    tx.update(RevenueSources, { ...source, isActive: false, nextRunAt: null, credential: null });
  });
  serve('/resting', [{ id: 'b', amount: 2 }]);
  const input = v.parse(commands.connect.input, { ...place, id, credential: 'token-2' });
  expect(await commands.connect.run(input)).toEqual({ id, isActive: true });
  await eventually(async () => {
    const source = await sourceOf(workspace, id);
    return source.totalIngested === 2 && source.nextRunAt >= nextRunAt;
  }, 'the pull, and the time of the next one');
  expect(feeds.get('/resting')?.authorization).toBe('Bearer token-2');
  await expect(commands.connect.run({ ...input, id: 999 })).rejects.toThrow('revenue source not found');
});
