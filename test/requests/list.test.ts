import { describe, expect, test } from 'vitest';
import { dayMs, epochSeconds, fromNow, now, timestamp } from '#lib/core/clock.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import { flatten, pages } from '#lib/table/pages.ts';
import { putRows, type Row } from '#lib/table/rows.ts';
import { keepRequests } from '#lib/workspaces/keep-request.ts';
import { listRequests } from '#lib/workspaces/request-list.ts';
import { firstIdAt, partitionAt, sortKeyOf } from '#lib/workspaces/request-row.ts';
import { api, type Client, eventually, everyItem } from '#test/client.ts';
import { mcp } from '#test/mcp/client.ts';
import { slowly } from '#test/rows.ts';
import { newWorkspace } from '#test/workspace.ts';

const idsOf = (items: readonly { requestId: string }[]) => items.map(({ requestId }) => requestId);

/** The requests of a key's workspace, when those with these ids are among them. */
const logged = (client: Client, requestIds: readonly string[], query: Record<string, string> = {}) =>
  eventually(async () => {
    const items = await everyItem(client, '/v1/request-logs', { limit: 100, ...query });
    const found = items.filter(({ requestId }) => requestIds.includes(requestId));
    return found.length >= requestIds.length && found;
  }, 'the requests to be logged');

const as = (requestId: string) => ({ 'x-request-id': requestId });

test('every call of a key is there, reads too, with what the contract says and nothing more', async () => {
  const { live, liveKey } = await newWorkspace();
  const { body: contact } = await live.post('/v1/contacts', { name: 'Ann' }, as('create'));
  await live.get(`/v1/contacts/${contact.id}`, { secret: 'of the query' }, as('read'));
  await live.patch(`/v1/contacts/${contact.id}`, { name: 'Anna' }, { ...as('stale'), 'if-match': '"x"' });
  await live.get('/v1/contacts/ann@example.com', {}, as('address'));
  await live.get('/v1/people/ann@example.com/Ann%20Archer/+491511234567', {}, as('nowhere'));
  await live.get('/mcp', {}, as('method'));
  const requestIds = ['create', 'read', 'stale', 'address', 'nowhere', 'method'];
  const found = await logged(live, requestIds);
  const keyId = liveKey.slice('csk_live_'.length, 'csk_live_'.length + 12);
  const shown = {
    id: expect.any(Number),
    at: expect.any(String),
    keyId,
    durationMs: expect.any(Number),
    ip: '127.0.0.1',
  };
  const of = (
    requestId: string,
    method: string,
    route: string,
    path: string,
    status: number,
    reason: string | null,
  ) => ({
    ...shown,
    requestId,
    method,
    route,
    path,
    status,
    reason,
  });
  const one = `/v1/contacts/${contact.id}`;
  expect(found).toEqual([
    of('method', 'GET', '*', '/mcp', 405, 'method_not_allowed'),
    of('nowhere', 'GET', '*', '/v1/people/…/…/…', 404, null),
    of('address', 'GET', '/v1/contacts/{id}', '/v1/contacts/{id}', 404, null),
    of('stale', 'PATCH', '/v1/contacts/{id}', one, 412, 'stale_version'),
    of('read', 'GET', '/v1/contacts/{id}', one, 200, null),
    of('create', 'POST', '/v1/contacts', '/v1/contacts', 201, null),
  ]);
  for (const { at } of found) expect(Math.abs(now() - Date.parse(at))).toBeLessThan(600_000);
});

test('filters and cursors choose of them', async () => {
  const { live } = await newWorkspace();
  const { body: other } = await live.post('/v1/keys', { name: 'other', scopes: ['contacts:read'] }, as('mint'));
  await api(other.key).get('/v1/contacts', {}, as('by-the-other'));
  await api(other.key).get('/v1/deals', {}, as('forbidden'));
  await live.get('/v1/contacts/999', {}, as('missing'));
  await live.delete(`/v1/keys/${other.id}`, as('revoke'));
  await logged(live, ['mint', 'by-the-other', 'forbidden', 'missing', 'revoke'], {});
  const chosen = async (query: Record<string, string | number>) =>
    idsOf((await live.get('/v1/request-logs', { limit: 100, ...query })).body.items);
  expect(await chosen({ keyId: other.keyId })).toEqual(['forbidden', 'by-the-other']);
  expect(await chosen({ requestId: 'missing' })).toEqual(['missing']);
  expect(await chosen({ status: '4XX' })).toEqual(['missing', 'forbidden']);
  expect(await chosen({ status: '403' })).toEqual(['forbidden']);
  expect(await chosen({ method: 'DELETE' })).toEqual(['revoke']);
  expect(await chosen({ route: '/v1/contacts/{id}' })).toEqual(['missing']);
  expect(await chosen({ keyId: other.keyId, status: '2xx' })).toEqual(['by-the-other']);
  expect(await chosen({ since: fromNow(60_000) })).toEqual([]);
  expect(await chosen({ until: fromNow(-600_000) })).toEqual([]);
  expect(await chosen({ method: 'delete', since: fromNow(-600_000), until: timestamp() })).toEqual(['revoke']);

  const first = await live.get('/v1/request-logs', { limit: 2, keyId: other.keyId, status: '4xx' });
  expect(first.body).toMatchObject({ nextCursor: null, hasMore: false });
  const { body: page } = await live.get('/v1/request-logs', { limit: 1, keyId: other.keyId });
  expect(page).toMatchObject({ nextCursor: page.items[0].id, hasMore: true });
  const next = await live.get('/v1/request-logs', { limit: 1, keyId: other.keyId, after: page.nextCursor });
  expect([idsOf(next.body.items), next.body.hasMore]).toEqual([['by-the-other'], false]);

  for (const query of [{ until: '9999-12-31T23:59:59Z' }, { since: '0001-01-01T00:00:00Z' }])
    expect(await chosen(query)).toContain('revoke');
  for (const status of ['4', '4x', '600', 'ok']) {
    const { status: answered, body } = await live.get('/v1/request-logs', { status });
    expect([answered, body.details.fields[0].field], status).toEqual([400, 'query.status']);
  }
});

test('the logs of live and sandbox are separate, and hold refusals of known keys alone', async () => {
  const { live, test: sandbox } = await newWorkspace();
  await sandbox.get('/v1/me', {}, as('in-the-sandbox'));
  const { body: revoked } = await live.post('/v1/keys', { name: 'gone', scopes: ['contacts:read'] });
  await live.delete(`/v1/keys/${revoked.id}`);
  await api(revoked.key).get('/v1/contacts', {}, as('revoked'));
  await api(`csk_live_${revoked.keyId}${'x'.repeat(32)}`).get('/v1/contacts', {}, as('wrong-secret'));
  await live.get('/v1/me', {}, as('live'));
  const found = await logged(live, ['revoked', 'live']);
  expect(found.find(({ requestId }) => requestId === 'revoked')).toMatchObject({
    keyId: revoked.keyId,
    status: 401,
    reason: 'revoked_key',
  });
  expect(idsOf(await logged(sandbox, ['in-the-sandbox']))).toEqual(['in-the-sandbox']);
  const all = idsOf(await everyItem(live, '/v1/request-logs', { limit: 100 }));
  expect(all).not.toContain('in-the-sandbox');
  expect(all).not.toContain('wrong-secret');
});

test('a call of a tool is one request to the MCP endpoint', async () => {
  const { live, liveKey } = await newWorkspace();
  const before = (await live.get('/v1/request-logs')).body.items.length;
  await mcp(liveKey).list();
  const found = await eventually(async () => {
    const { body } = await live.get('/v1/request-logs', { route: '/mcp' });
    return body.items.length > before && body.items;
  }, 'the call to be logged');
  expect(found[0]).toMatchObject({ method: 'POST', route: '/mcp', path: '/mcp', status: 200, reason: null });
});

test('the log keeps the first calls over the rate limit', async () => {
  const { live, mint } = await newWorkspace();
  const { keyId, client } = await mint({ rateLimitPerMinute: 5 });
  const answers = await Promise.all(Array.from({ length: 100 }, () => client.get('/v1/me')));
  expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(80);
  const limited = await eventually(async () => {
    const items = await everyItem(live, '/v1/request-logs', { keyId, status: '429', limit: 100 });
    return items.length >= 20 && items;
  }, 'the first');
  // Each process keeps twenty a minute; a minute may turn meanwhile.
  expect(limited.length).toBeLessThanOrEqual(40);
});

describe('lines of the log', () => {
  const lineOf = (workspaceId: number, requestId: string, at: Date = new Date(now())) =>
    JSON.stringify({
      level: 'INFO',
      message: 'request',
      timestamp: at.toISOString(),
      isKept: true,
      workspaceId,
      env: 'live',
      keyId: 'k7Qm2ZpX9aBc',
      requestId,
      method: 'GET',
      route: '/v1/contacts',
      path: '/v1/contacts',
      status: 200,
      durationMs: 12.3,
      ip: '203.0.113.7',
    });

  const rowsOf = async (workspaceId: number, ms: number) => {
    const rows: Row[] = [];
    for await (const row of flatten(pages({ pk: partitionAt({ workspaceId, env: 'live' }, ms) }))) rows.push(row);
    return rows;
  };

  test('a repeated line is one row, and an unreadable one does not block the others', async () => {
    const { id: workspaceId, live } = await newWorkspace();
    const at = new Date(now() - dayMs);
    const lines = [
      ...Array.from({ length: 60 }, (_, index) => ({
        id: `line ${index}`,
        message: lineOf(workspaceId, `n${index}`, at),
      })),
      { id: 'a', message: '{"isKept": true' },
      { id: 'b', message: '{"isKept": true}' },
    ];
    await keepRequests(lines);
    await keepRequests(lines);
    // Of one that cannot be read the list says nothing.
    await putRows([
      { pk: partitionAt({ workspaceId, env: 'live' }, at.getTime()), sk: sortKeyOf(firstIdAt(at.getTime() - 60_000)) },
    ]);
    const items = await everyItem(live, '/v1/request-logs', { limit: 7, until: timestamp(at) });
    expect(idsOf(items).sort()).toEqual(Array.from({ length: 60 }, (_, index) => `n${index}`).sort());
    expect(items[0]).toMatchObject({ at: timestamp(new Date(at.getTime() - 12)), durationMs: 12 });
    const ids = items.map(({ id }) => Number(id));
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
    expect(ids.every(Number.isSafeInteger)).toBe(true);
  });

  test('each expires after seven days and is not shown later', async () => {
    const { id: workspaceId, live } = await newWorkspace();
    const days = [0, 1, 3, 6.9, 7.1, 8];
    const atMs = now();
    const at = (age: number) => new Date(atMs - age * dayMs);
    await keepRequests(days.map((age) => ({ id: `${age}`, message: lineOf(workspaceId, `d${age}`, at(age)) })));
    const items = await everyItem(live, '/v1/request-logs', { limit: 2, keyId: 'k7Qm2ZpX9aBc' });
    expect(idsOf(items)).toEqual(['d0', 'd1', 'd3', 'd6.9']);
    const [row] = await rowsOf(workspaceId, at(3).getTime() - 12);
    expect(row?.['expiresAtSeconds']).toBe(epochSeconds(new Date(at(3).getTime() - 12 + 7 * dayMs)));
    expect(Buffer.byteLength(JSON.stringify(row))).toBeLessThan(500);
    const between = { since: timestamp(at(3.5)), until: timestamp(at(0.5)), limit: 100 };
    expect(idsOf(await everyItem(live, '/v1/request-logs', between))).toEqual(['d1', 'd3']);
  });
});

test('a slow filter ends its page in time and continues at the cursor', async () => {
  const { id: workspaceId } = await newWorkspace();
  const tenant: Tenant = { workspaceId, env: 'live' };
  const line = (index: number) => {
    const timestamp = new Date(now() - index * 1000).toISOString();
    const route = index % 400 === 0 ? '/v1/rare' : '/v1/contacts';
    const request = { requestId: `r${index}`, workspaceId, env: 'live', keyId: 'k', method: 'GET', route, status: 200 };
    const message = {
      isKept: true,
      timestamp,
      ...request,
      path: `/${'x'.repeat(1900)}`,
      reason: null,
      durationMs: 5,
      ip: '1.2.3.4',
    };
    return { id: `x${index}`, message: JSON.stringify(message) };
  };
  for (let first = 1; first <= 2000; first += 100)
    await keepRequests(Array.from({ length: 100 }, (_, index) => line(first + index)));
  const found: string[] = [];
  let pages = 0;
  for (let after: number | undefined, hasMore = true; hasMore; pages += 1) {
    const page = await slowly(() => listRequests(tenant, { route: '/v1/rare', limit: 100, after }));
    found.push(...idsOf(page.items));
    ({ hasMore } = page);
    after = page.nextCursor ?? undefined;
  }
  expect(found).toEqual(['r400', 'r800', 'r1200', 'r1600', 'r2000']);
  expect(pages).toBeGreaterThan(2);
});

test('the workspace has to be asked with keys:manage', async () => {
  const { live } = await newWorkspace();
  const { body: key } = await live.post('/v1/keys', { name: 'other', scopes: ['contacts:read'] });
  const { status, body } = await api(key.key).get('/v1/request-logs');
  expect([status, body.details.reason]).toEqual([403, 'missing_scope']);
});
