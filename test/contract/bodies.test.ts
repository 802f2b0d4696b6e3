import { request } from 'undici';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

async function post(path: string, body: string | Buffer, contentType?: string) {
  const answer = await request(new URL(path, inject('baseUrl')), {
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
  test.each(['application/json', 'Application/JSON; charset=utf-8', 'application/json;charset=UTF-8'])(
    'of the type %s is read',
    async (type) => {
      expect((await post('/v1/contacts', '{"name":"Typed"}', type)).status).toBe(201);
    },
  );

  test.each([
    undefined,
    'text/plain',
    'application/vnd.x+json',
    'application/jsonp',
    'application/x-www-form-urlencoded',
  ])('of the type %s is 400', async (type) => {
    const { status, body } = await post('/v1/contacts', '{"name":"Typed"}', type);
    expect([status, body.error, body.details]).toEqual([400, 'bad_request', { reason: 'unsupported_content_type' }]);
  });

  test.each([
    ['cut off', Buffer.from('{"name":')],
    ['not UTF-8', Buffer.from([...Buffer.from('{"name":"'), 0xff, 0xfe, ...Buffer.from('"}')])],
    ['holding half a character', Buffer.from('{"name":"\\ud800"}')],
  ])('that is %s is 400', async (_, bytes) => {
    const { status, body } = await post('/v1/contacts', bytes, 'application/json');
    expect([status, body.error, body.details]).toEqual([400, 'bad_request', { reason: 'malformed_json' }]);
  });

  test.each([1_048_577, 3_000_000, 7_000_000, 12_000_000])(
    'of %i bytes is 400 in the envelope, as any',
    async (size) => {
      const { status, headers, body } = await post(
        '/v1/contacts',
        `{"name":"${'x'.repeat(size - 11)}"}`,
        'application/json',
      );
      expect([status, body.error, body.details]).toEqual([400, 'bad_request', { reason: 'body_too_large' }]);
      expect(headers).toMatchObject({ 'x-request-id': expect.any(String), 'x-ratelimit-limit': expect.any(String) });
    },
  );

  test('of exactly 1 MiB is read', async () => {
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
  const items = [
    { op: 'create', name: 'B', zzz: 1, stage: 'new' },
    { op: 'nonsense', y: 1 },
    { op: 'create', name: 'C' },
  ];
  const batch = await workspace.live.post('/v1/contacts/batch', { items, other: 1 });
  expect(batch.headers['x-ignored-parameters']).toBe('other,items[0].zzz,items[0].stage');
});

test('an id has one spelling in a path', async () => {
  const { body } = await workspace.live.post('/v1/contacts', { name: 'A' });
  expect((await workspace.live.get(`/v1/contacts/${body.id}`)).status).toBe(200);
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
    expect((await live.post('/v1/telegram/messages', message)).status).toBe(404);
    expect((await live.post(`/v1/contacts/${contact.id}/tags`, { tagId: unknown })).status).toBe(404);
  });
});

test('a page before an id that nothing reaches is the first page', async () => {
  const all = (await workspace.live.get('/v1/contacts')).body;
  for (const after of ['99999999999', '99999999999999999999'])
    expect((await workspace.live.get('/v1/contacts', { after })).body).toEqual(all);
});
