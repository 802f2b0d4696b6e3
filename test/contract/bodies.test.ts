import { request } from 'undici';
import { beforeAll, describe, expect, test } from 'vitest';
import { place } from '#test/place.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

async function post(path: string, body: string | Buffer, contentType?: string) {
  const answer = await request(new URL(path, place('baseUrl')), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${workspace.liveKey}`,
      ...(contentType && { 'content-type': contentType }),
    },
    body,
  });
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts what it is.
  return { status: answer.statusCode, headers: answer.headers, body: (await answer.body.json()) as any };
}

describe('a body', () => {
  test.each([
    'application/json',
    'application/json;',
    'Application/JSON; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json; charset=utf8',
    'application/json ; Charset = "UTF8" ; x=1',
    'application/json; x=1',
  ])('is read when its type is %s', async (type) => {
    expect((await post('/v1/contacts', '{"name":"Typed"}', type)).status).toBe(201);
  });

  test.each(['iso-8859-1', '"utf-16"', 'us-ascii', 'UTF-16LE', 'windows-1252', 'utf-8-x'])(
    'is 400 and names UTF-8 when its charset is %s',
    async (charset) => {
      const { status, body } = await post('/v1/contacts', '{"name":"J"}', `application/json; charset=${charset}`);
      expect([status, body.details]).toEqual([400, because('unsupported_content_type')]);
      expect(body.message).toBe(`the body is declared as ${charset.replaceAll('"', '')}: send it in UTF-8`);
    },
  );

  test.each([
    undefined,
    'text/plain',
    'application/vnd.x+json',
    'application/jsonp',
    'application/x-www-form-urlencoded',
  ])('is 400 when its type is %s', async (type) => {
    const { status, body } = await post('/v1/contacts', '{"name":"Typed"}', type);
    expect([status, body.error, body.details]).toEqual([400, 'bad_request', because('unsupported_content_type')]);
  });

  test.each([
    ['cut off', Buffer.from('{"name":')],
    ['not UTF-8', Buffer.from([...Buffer.from('{"name":"'), 0xff, 0xfe, ...Buffer.from('"}')])],
    ['holding half a character', Buffer.from('{"name":"\\ud800"}')],
    ['with a key __proto__', Buffer.from('{"name":"x","__proto__":{"company":"y"}}')],
    ['with a key __proto__ within', Buffer.from('{"name":"x","y":[{"\\u005f_proto__":1}]}')],
    ['with a key __proto__ after others', Buffer.from('{"constructor":{"prototype":{}},"x":{"__proto__":1}}')],
  ])('is 400 when it is %s', async (_, bytes) => {
    const { status, body } = await post('/v1/contacts', bytes, 'application/json');
    expect([status, body.error, body.details]).toEqual([400, 'bad_request', because('malformed_json')]);
  });

  test('with a prototype in a constructor is read, and both are named as ignored', async () => {
    const body = '{"name":"Plain","constructor":{"prototype":{"name":"x"}},"prototype":1}';
    const answer = await post('/v1/contacts', body, 'application/json');
    expect(answer).toMatchObject({ status: 201, body: { name: 'Plain' } });
    expect(answer.headers['x-ignored-parameters']).toBe('constructor,prototype');
  });

  const lists = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const create = (inner: string) => `{"op":"create","name":"Deep","x":${inner}}`;
  const tooDeep = 'the body is nested deeper than 500 levels: send a flatter one';

  test('is read up to 500 levels and is 400 above', async () => {
    const statusOf = async (path: string, body: string) =>
      (await workspace.live.post(path, body, { 'idempotency-key': `deep-${path}-${body.length}` })).status;
    expect(await statusOf('/v1/contacts', create(lists(499)))).toBe(201);
    expect(await statusOf('/v1/contacts', create(objects(499)))).toBe(201);
    expect(await statusOf('/v1/contacts/batch', `{"items":[${create(objects(497))}]}`)).toBe(200);
    expect(await statusOf('/v1/contacts', create(lists(500)))).toBe(400);
  });

  test.each([
    ['/v1/contacts', create(lists(20_000))],
    ['/v1/contacts', create(lists(500_000))],
    ['/v1/contacts', create(objects(20_000))],
    ['/v1/contacts/batch', `{"items":[${create(lists(20_000))}]}`],
  ])('is 400 when it is nested as deep as possible: %s', async (path, deep) => {
    const { status, body } = await workspace.live.post(path, deep, { 'idempotency-key': 'deep' });
    expect([status, body.message, body.details]).toEqual([400, tooDeep, because('malformed_json')]);
  });

  test('is a parse error of MCP when it is nested as deep as possible', async () => {
    const params = `{"name":"contacts_create","arguments":${create(lists(20_000))}}`;
    const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
    const { status, body } = await workspace.live.post('/mcp', call);
    expect([status, body.error]).toEqual([400, { code: -32700, message: tooDeep }]);
  });

  test.each([1_048_577, 3_000_000, 7_000_000, 12_000_000])(
    'is 400 in the usual envelope when it has %i bytes',
    async (size) => {
      const { status, headers, body } = await post(
        '/v1/contacts',
        `{"name":"${'x'.repeat(size - 11)}"}`,
        'application/json',
      );
      expect([status, body.error, body.details]).toEqual([400, 'bad_request', because('body_too_large')]);
      expect(headers).toMatchObject({ 'x-request-id': expect.any(String), 'x-ratelimit-limit': expect.any(String) });
    },
  );

  test('is read when it has exactly 1 MiB', async () => {
    const { status, body } = await post(
      '/v1/contacts',
      `{"name":"A","x":"${'x'.repeat(1_048_576 - 19)}"}`,
      'application/json',
    );
    expect([status, body.name]).toEqual([201, 'A']);
  });
});

test('unknown fields are named once each, those of a batch by their item', async () => {
  const { headers } = await workspace.live.post('/v1/contacts?foo=1', { name: 'A', foo: 2, 'bar[]': 3, 'a,b': 4 });
  expect(headers['x-ignored-parameters']).toBe('foo,bar[],a%2Cb');
  const many = Object.fromEntries(Array.from({ length: 23 }, (_, index) => [`f${index}`, 1]));
  const some = await workspace.live.post('/v1/contacts', { name: 'A', [`${'x'.repeat(99)}ä`]: 1, ...many });
  const named = ['x'.repeat(99), ...Object.keys(many).slice(0, 19)];
  expect(some.headers['x-ignored-parameters']?.split(',')).toEqual([`${named[0]}...`, ...named.slice(1), '+4 more']);
  const items = [
    { op: 'create', name: 'B', zzz: 1, stage: 'new' },
    { op: 'nonsense', y: 1 },
    { op: 'create', name: 'C' },
  ];
  const batch = await workspace.live.post('/v1/contacts/batch', { items, other: 1 });
  expect(batch.headers['x-ignored-parameters']).toBe('other,items[0].zzz');
});

test('an id has one spelling in a path', async () => {
  const { body } = await workspace.live.post('/v1/contacts', { name: 'A' });
  await workspace.live.get(`/v1/contacts/${body.id}`, undefined, 200);
  for (const spelling of [`0${body.id}`, `+${body.id}`, `${body.id}.0`, '0', '-1', '99999999999'])
    expect((await workspace.live.get(`/v1/contacts/${spelling}`)).status, spelling).toBe(404);
});

describe('a reference in a body to what cannot be', () => {
  test.each([0, -1, 99_999_999_999, 2_147_483_647])('is as one to what is not: %i', async (unknown) => {
    const { live } = workspace;
    const { body: contact } = await live.post('/v1/contacts', { name: 'A' });
    for (const [path, body, field] of [
      [`/v1/contacts/${contact.id}/assignee`, { userId: unknown }, 'userId'],
      ['/v1/tasks', { title: 'A', contactId: unknown }, 'contactId'],
      ['/v1/deals', { title: 'A', contactId: unknown }, 'contactId'],
    ] as const) {
      const answer = await live.post(path, body);
      expect([answer.status, answer.body.details?.fields]).toEqual([
        400,
        [expect.objectContaining({ field, code: 'unknown_reference' })],
      ]);
    }
    const message = { accountId: unknown, contactId: contact.id, text: 'Hi' };
    await live.post('/v1/telegram/messages', message, 404);
    await live.post(`/v1/contacts/${contact.id}/tags`, { tagId: unknown }, 404);
  });
});

test('a page before an id that nothing reaches is the first page', async () => {
  const all = (await workspace.live.get('/v1/contacts')).body;
  for (const after of ['99999999999', '99999999999999999999'])
    expect((await workspace.live.get('/v1/contacts', { after })).body).toEqual(all);
});

test.each([
  ['a list', '/v1/keys', { name: 'Many', env: 'live', scopes: Array(260_000).fill('a') }, 1],
  [
    'fields',
    '/v1/contacts/batch',
    { items: Array.from({ length: 100 }, () => ({ op: 'create', name: 1 })) },
    undefined,
  ],
])('%s of wrong values answers 400 in a few words', async (_, path, body, count) => {
  const answer = await post(path, JSON.stringify(body), 'application/json');
  expect([200, 400]).toContain(answer.status);
  if (count !== undefined) expect(answer.body.details.fields).toHaveLength(count);
  expect(JSON.stringify(answer.body).length).toBeLessThan(50_000);
});

test('an answer names 50 wrong fields and says how many more there are, each name cut', async () => {
  const { id } = (await workspace.live.post('/v1/contacts', { name: 'Many' })).body;
  const query = Array.from({ length: 9 }, (_, index) => `metadata.${'k'.repeat(900)}${index}=x`).join('&');
  const long = await workspace.live.get(`/v1/contacts?${query}`);
  expect(long.status).toBe(400);
  for (const { field } of long.body.details.fields) expect(field.length).toBeLessThanOrEqual(100);
  const allowlist = Array.from({ length: 50 }, (_, index) => `wrong ${index}`);
  const scopes = Array.from({ length: 30 }, (_, index) => `wrong:${index}`);
  const many = await workspace.live.post('/v1/keys', { name: 'x', env: 'live', scopes, ipAllowlist: allowlist });
  expect(many.status).toBe(400);
  expect(many.body.details.fields).toHaveLength(50);
  expect(many.body.message).toContain('80 fields are invalid: correct those in details.fields, and 30 more');
  await workspace.live.get(`/v1/contacts/${id}`, undefined, 200);
});
