import { beforeAll, describe, expect, test } from 'vitest';
import { everyItem } from '#test/client.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

describe('an Idempotency-Key', () => {
  test('gives the same body the same answer, and does the work once', async () => {
    const headers = { 'idempotency-key': 'once' };
    const first = await workspace.live.post('/v1/contacts', { name: 'Only one' }, headers);
    const second = await workspace.live.post('/v1/contacts', { name: 'Only one' }, headers);
    expect(first.status).toBe(201);
    expect([second.status, second.body, second.headers['location']]).toEqual([
      201,
      first.body,
      first.headers['location'],
    ]);
    expect([first.headers['idempotency-replayed'], second.headers['idempotency-replayed']]).toEqual([
      undefined,
      'true',
    ]);
    expect((await everyItem(workspace.live, '/v1/contacts', { q: 'only one' })).length).toBe(1);
  });

  test('does the work once for twenty calls at the same moment', async () => {
    const headers = { 'idempotency-key': 'at once' };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => workspace.live.post('/v1/contacts', { name: 'Concurrent' }, headers)),
    );
    for (const { status, body } of answers) {
      if (status === 201) continue;
      expect([status, body.details]).toEqual([409, { reason: 'idempotency_in_progress' }]);
    }
    expect(answers.some(({ status }) => status === 201)).toBe(true);
    expect((await everyItem(workspace.live, '/v1/contacts', { q: 'concurrent' })).length).toBe(1);
  });

  test('with another body is 409', async () => {
    const headers = { 'idempotency-key': 'other body' };
    await workspace.live.post('/v1/contacts', { name: 'A' }, headers);
    const answer = await workspace.live.post('/v1/contacts', { name: 'B' }, headers);
    expect([answer.status, answer.body.error, answer.body.details]).toEqual([
      409,
      'conflict',
      { reason: 'idempotency_key_reused' },
    ]);
  });

  test('knows the same JSON again, however it is written', async () => {
    const headers = { 'idempotency-key': 'spelling' };
    const first = await workspace.live.post('/v1/contacts', '{"name":"Spelt","company":"X"}', headers);
    const second = await workspace.live.post('/v1/contacts', '{ "company": "X",\n "name": "\\u0053pelt" }', headers);
    expect([second.status, second.body, second.headers['idempotency-replayed']]).toEqual([201, first.body, 'true']);
  });

  test('belongs to one workspace, environment, method and path', async () => {
    const headers = { 'idempotency-key': 'scoped' };
    const other = await newWorkspace();
    for (const client of [workspace.live, workspace.test, other.live]) {
      const answer = await client.post('/v1/contacts', { name: 'Scoped' }, headers);
      expect([answer.status, answer.headers['idempotency-replayed']]).toEqual([201, undefined]);
    }
    const patched = await workspace.live.patch('/v1/contacts/1', { company: 'X' }, headers);
    expect([patched.status, patched.headers['idempotency-replayed']]).toEqual([200, undefined]);
  });

  test('keeps a refusal that came after validation, and not one before', async () => {
    const headers = { 'idempotency-key': 'refused' };
    const missing = await workspace.live.patch('/v1/contacts/999999', { company: 'X' }, headers);
    const again = await workspace.live.patch('/v1/contacts/999999', { company: 'X' }, headers);
    expect([missing.status, again.status, again.headers['idempotency-replayed']]).toEqual([404, 404, 'true']);
    const bad = { 'idempotency-key': 'bad' };
    expect((await workspace.live.post('/v1/contacts', { email: 'a@b' }, bad)).status).toBe(400);
    const mended = await workspace.live.post('/v1/contacts', { name: 'Mended', email: 'a@b' }, bad);
    expect([mended.status, mended.headers['idempotency-replayed']]).toEqual([201, undefined]);
  });

  test('is 1 to 255 printable ASCII characters', async () => {
    const answer = await workspace.live.post('/v1/contacts', { name: 'A' }, { 'idempotency-key': 'x'.repeat(256) });
    expect([answer.status, answer.body.details.fields[0].field]).toEqual([400, 'Idempotency-Key']);
  });
});

describe('an ETag', () => {
  test('answers 304 while nothing changed', async () => {
    const { body } = await workspace.live.post('/v1/contacts', { name: 'Tagged' });
    const path = `/v1/contacts/${body.id}`;
    const { headers } = await workspace.live.get(path);
    const same = await workspace.live.get(path, undefined, { 'if-none-match': headers['etag'] as string });
    expect([same.status, same.body, same.headers['etag']]).toEqual([304, undefined, headers['etag']]);
    await workspace.live.patch(path, { company: 'Y' });
    expect((await workspace.live.get(path, undefined, { 'if-none-match': headers['etag'] as string })).status).toBe(
      200,
    );
  });

  test('of a write matches what a GET shows, and a stale one is 412 even with a bad body', async () => {
    const { body } = await workspace.live.post('/v1/contacts', { name: 'Matched' });
    const path = `/v1/contacts/${body.id}`;
    const stale = (await workspace.live.get(path)).headers['etag'] as string;
    const patched = await workspace.live.patch(path, { company: 'Z' }, { 'if-match': stale });
    expect(patched.status).toBe(200);
    expect((await workspace.live.get(path)).headers['etag']).toBe(patched.headers['etag']);
    for (const change of [{ company: 'W' }, { email: 7 }]) {
      const answer = await workspace.live.patch(path, change, { 'if-match': stale });
      expect([answer.status, answer.body.error, answer.body.details]).toEqual([
        412,
        'conflict',
        { reason: 'stale_version' },
      ]);
    }
    expect((await workspace.live.get(path)).body.company).toBe('Z');
  });

  test('lets exactly one of twenty conditional writers through', async () => {
    const { body } = await workspace.live.post('/v1/contacts', { name: 'Raced' });
    const path = `/v1/contacts/${body.id}`;
    const tag = (await workspace.live.get(path)).headers['etag'] as string;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        workspace.live.patch(path, { company: `c${index}` }, { 'if-match': tag }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(19);
  });
});
