import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '#test/client.ts';
import type { World } from '#test/harness/world.ts';
import { world } from '#test/harness.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let live: Client;
beforeAll(async () => {
  workspace = await newWorkspace();
  live = workspace.live;
});

const send = (method: string, target: string, headers: Record<string, string> = {}, body?: string) =>
  (world() as World).request({
    method,
    target,
    headers: { authorization: `Bearer ${workspace.liveKey}`, ...headers },
    body,
    ip: '127.0.0.1',
  });

const json = { 'content-type': 'application/json' };

describe('a body', () => {
  const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le');

  test.each([
    ['/v1/contacts', 201],
    ['/v1/contacts/upsert', 200],
    ['/v1/contacts/batch', 200],
  ])('may begin with a byte-order mark at %s', async (path, status) => {
    const fields = '"name":"Bom","username":"bom","matchOn":"username","items":[{"op":"create","name":"x"}]';
    expect((await live.post(path, `\uFEFF{${fields}}`)).status).toBe(status);
  });

  test('may begin with a byte-order mark at /mcp', async () => {
    const { status, body } = await live.post('/mcp', '\uFEFF{"jsonrpc":"2.0","id":1,"method":"ping"}');
    expect([status, body.result]).toEqual([200, {}]);
  });

  test.each([
    ['in UTF-16', utf16('{"name":"A"}'), {}, 'malformed_json', 'the body is not UTF-8: send JSON in UTF-8'],
    ['in UTF-16 without a mark', Buffer.from('{"name":"A"}', 'utf16le'), {}, 'malformed_json', 'send JSON in UTF-8'],
    ['in UTF-16 of big end', Buffer.from('{"a":1}', 'utf16le').swap16(), {}, 'malformed_json', 'send JSON in UTF-8'],
    ['in Latin-1', Buffer.from('{"name":"Jörg"}', 'latin1'), {}, 'malformed_json', 'not UTF-8'],
    ['with gzip', Buffer.from([0x1f, 0x8b]), { 'content-encoding': 'gzip' }, 'unsupported_content_encoding', 'uncompr'],
    ['with br', Buffer.from('{}'), { 'content-encoding': 'br' }, 'unsupported_content_encoding', 'Content-Encoding'],
  ])('%s is 400 and says so', async (_, bytes, headers, reason, words) => {
    const answer = await fetch(new URL('/v1/contacts', (world() as World).api.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${workspace.liveKey}`, ...json, ...headers },
      body: bytes,
    });
    const { message, details } = (await answer.json()) as { message: string; details: unknown };
    expect([answer.status, details]).toEqual([400, because(reason)]);
    expect(message).toContain(words);
  });

  test('may say that it is not encoded', async () => {
    const { status } = await live.post('/v1/contacts', { name: 'Plain' }, { 'content-encoding': 'identity' });
    expect(status).toBe(201);
  });

  test('may be a merge patch of PATCH and of nothing else', async () => {
    const type = { 'content-type': 'application/merge-patch+json; charset=utf-8' };
    const { body: contact } = await live.post('/v1/contacts', { name: 'Before' });
    const patched = await live.call('PATCH', `/v1/contacts/${contact.id}`, { headers: type, body: '{"name":"After"}' });
    expect([patched.status, patched.body.name]).toEqual([200, 'After']);
    const posted = await live.call('POST', '/v1/contacts', { headers: type, body: '{"name":"No"}' });
    expect(posted.body.details).toEqual(because('unsupported_content_type'));
  });
});

describe('Prefer: handling=strict', () => {
  const strict = { prefer: 'respond-async, Handling="strict"; x=1' };

  test.each([
    ['GET', '/v1/contacts?foo=1', undefined, ['query.foo']],
    ['GET', '/v1/contacts?metadata=x&q[]=a', undefined, ['query.metadata', 'query.q[]']],
    ['POST', '/v1/deals', '{"title":"A","amount":5}', ['amount']],
    ['POST', '/v1/webhooks', '{"url":"https://example.com/a","filter":{"tag":1}}', ['filter.tag']],
    ['POST', '/v1/contacts/batch', '{"items":[{"op":"create","name":"x"}],"other":1}', ['other']],
    [
      'POST',
      '/v1/telegram/messages',
      '{"accountId":1,"contactId":1,"text":"x","buttons":[[{"text":"a","data":"b"},{"text":"a","data":"c","color":1}]]}',
      ['buttons[0][1].color'],
    ],
  ])('refuses what is unknown of %s %s', async (method, target, body, fields) => {
    const answer = await live.call(method, target, { headers: { ...json, ...strict }, body });
    expect([answer.status, answer.body.details.fields]).toEqual([
      400,
      fields.map((field) => expect.objectContaining({ field, code: 'not_allowed' })),
    ]);
    expect(answer.headers['preference-applied']).toBe('handling=strict');
  });

  test('refuses what is in the body of a call that takes nothing', async () => {
    const { id } = (await live.post('/v1/contacts', { name: 'Strict' }, 201)).body;
    const { headers } = await live.post(`/v1/contacts/${id}/archive`, { why: 'x' }, 200);
    expect(headers).toMatchObject({ 'x-ignored-parameters': 'why' });
    const { body } = await live.post(`/v1/contacts/${id}/restore`, { why: 'x' }, 400, strict);
    expect(body.details.fields).toEqual([expect.objectContaining({ field: 'why', code: 'not_allowed' })]);
  });

  test('refuses the items of a batch one by one', async () => {
    const items = [
      { op: 'create', name: 'Strict A', zzz: 1 },
      { op: 'create', name: 'Strict B' },
    ];
    const { body } = await live.post('/v1/contacts/batch', { items }, strict);
    expect(body.results.map(({ status }: { status: number }) => status)).toEqual([400, 201]);
    expect(body.results[0].error.details.fields[0]).toMatchObject({ field: 'items[0].zzz', code: 'not_allowed' });
  });

  test.each(['handling=lenient', 'handling=lenient, handling=strict', 'wait=10'])('is not %s', async (prefer) => {
    const answer = await live.get('/v1/contacts', { foo: 1 }, 200, { prefer });
    expect(answer.headers).toMatchObject({ 'x-ignored-parameters': 'foo' });
    expect(answer.headers).not.toHaveProperty('preference-applied');
  });

  test('is answered where nothing is unknown', async () => {
    const answer = await live.get('/v1/contacts', undefined, 200, strict);
    expect(answer.headers['preference-applied']).toBe('handling=strict');
  });
});

describe('a parameter of one value that is given twice', () => {
  test.each([
    ['/v1/contacts?q=ann&q=bob', 'query.q'],
    ['/v1/contacts?limit=1&limit=500', 'query.limit'],
    ['/v1/contacts?after=1&after=1', 'query.after'],
    ['/v1/contacts?stage=new&stage=lost', 'query.stage'],
    ['/v1/contacts?hasUnread=true&hasUnread=false', 'query.hasUnread'],
    ['/v1/contacts?createdSince=2026-01-01&createdSince=2026-01-01', 'query.createdSince'],
    ['/v1/contacts?%71=ann&q=', 'query.q'],
    ['/v1/contacts?metadata.a=42&metadata[a]=42', 'query.metadata.a'],
    ['/v1/contacts?metadata.a=42&metadata.a=42', 'query.metadata.a'],
    ['/v1/finance/transactions?category=a&category=b', 'query.category'],
    ['/v1/tasks?assignedToUserId=1&assignedToUserId=none', 'query.assignedToUserId'],
  ])('is 400: %s', async (target, field) => {
    const { status, body } = await live.get(target);
    expect([status, body.details.fields]).toEqual([
      400,
      [{ field, code: 'not_allowed', message: `${field} is given twice` }],
    ]);
  });

  test.each(['/v1/contacts?ids=1&ids=2', '/v1/contacts?foo=1&foo=2'])('is not %s', async (target) => {
    expect((await live.get(target)).status).toBe(200);
  });
});

const publicPaths = ['/healthz', '/openapi.json', '/llms.txt', '/docs/', '/docs/postman.json', '/panel/', '/docs'];

test.each(publicPaths)('HEAD of %s answers as GET, without a body', async (target) => {
  const [head, get] = [await send('HEAD', target), await send('GET', target)];
  expect(head.status).toBe(get.status);
  const telling = ({ headers }: typeof head) => [headers['content-type'], headers['etag'], headers['cache-control']];
  expect(telling(head)).toEqual(telling(get));
});

describe('an answer', () => {
  const unpacked = { br: brotliDecompressSync, gzip: gunzipSync };

  test.each([
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, GZIP;q=0.5', 'gzip'],
    ['identity', undefined],
    ['', undefined],
  ] as const)('is compressed from 1 KB on for callers that accept "%s"', async (accepted, encoding) => {
    for (let index = 0; index < 3; index += 1) await live.post('/v1/contacts', { name: 'x'.repeat(200) });
    const plain = await send('GET', '/v1/contacts?limit=3');
    const answer = await send('GET', '/v1/contacts?limit=3', { 'accept-encoding': accepted });
    expect([answer.headers['content-encoding'], answer.headers['vary']]).toEqual([encoding, 'Accept-Encoding']);
    const body = encoding ? unpacked[encoding](answer.body) : answer.body;
    expect(JSON.parse(body.toString()).items.length).toBe(JSON.parse(plain.body.toString()).items.length);
    if (encoding) expect(answer.body.length).toBeLessThan(plain.body.length);
  });

  test('is not compressed below 1 KB', async () => {
    const { headers } = await send('GET', '/v1/me', { 'accept-encoding': 'gzip' });
    expect(headers).not.toHaveProperty('content-encoding');
  });

  test.each([
    ['/v1/contacts', { name: 'Tagged' }],
    ['/v1/deals', { title: 'Tagged' }],
    ['/v1/tasks', { title: 'Tagged' }],
    ['/v1/finance/transactions', { type: 'income', amount: 1, currency: 'EUR' }],
    ['/v1/webhooks', { url: 'https://example.com/tagged' }],
    ['/v1/keys', { name: 'tagged', env: 'live', scopes: ['contacts:read'] }],
    ['/v1/telegram/accounts', { kind: 'bot', botToken: 'test_tagged' }],
  ])('carries the ETag of its GET after a POST to %s', async (path, body) => {
    const client = path.endsWith('accounts') ? workspace.test : live;
    const made = await client.post(path, body, 201);
    const got = await client.get(made.headers['location'] as string, undefined, 200);
    expect(made.headers['etag']).toBe(got.headers['etag']);
  });
});

describe('a final slash', () => {
  test.each([
    ['GET', '/v1/contacts/', 'path not found: leave out the final /'],
    ['POST', '/v1/contacts/', 'path not found: leave out the final /'],
    ['GET', '/v1/contacts/1/', 'path not found: leave out the final /'],
    ['GET', '/v1/contacts//', 'path not found: leave out the final /'],
    ['GET', '/healthz/', 'path not found: leave out the final /'],
    ['POST', '/mcp/', 'path not found: leave out the final /'],
    ['GET', '/', 'path not found: the reference is at /docs/'],
    ['GET', '/v1/nothing/', 'path not found'],
    ['GET', '/v1/', 'path not found'],
  ])('makes %s %s a 404, whose message names it when it is the mistake', async (method, target, message) => {
    const { status, body } = await send(method, target, json, method === 'POST' ? '{}' : undefined);
    expect([status, JSON.parse(String(body))]).toEqual([404, { error: 'not_found', message, details: null }]);
  });
});

test('DELETE of a contact is a 405 that names the erasure', async () => {
  const { body: contact } = await live.post('/v1/contacts', { name: 'Kept' }, 201);
  const { status, headers, body } = await live.call('DELETE', `/v1/contacts/${contact.id}`);
  const words = `use GET, PATCH, or POST /v1/contacts/${contact.id}/erasure, which removes it for good`;
  expect([status, headers['allow'], body.message]).toEqual([
    405,
    'GET, PATCH',
    `this path does not take this method: ${words}`,
  ]);
});
