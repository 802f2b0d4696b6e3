import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { claim } from '#lib/http/idempotency.ts';
import { everyItem } from '#test/client.ts';
import { because } from '#test/refusals.ts';
import { everyByteOf } from '#test/rows.ts';
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

  test('keeps the answers of POST and PATCH of a custom field', async () => {
    const headers = { 'idempotency-key': 'field' };
    const field = { object: 'deal', slug: 'once', title: 'Once', type: 'text' };
    const first = await workspace.live.post('/v1/fields', field, headers);
    const second = await workspace.live.post('/v1/fields', field, headers);
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
    expect(second.headers['idempotency-replayed']).toBe('true');
    expect((await workspace.live.get('/v1/fields', { object: 'deal' }, 200)).body.items).toEqual([first.body]);
    const path = `/v1/fields/${first.body.id}`;
    const changed = await workspace.live.patch(path, { title: 'Renamed' }, headers);
    await workspace.live.patch(path, { title: 'Since then' }, 200);
    const again = await workspace.live.patch(path, { title: 'Renamed' }, headers);
    expect([again.status, again.body, again.headers['idempotency-replayed']]).toEqual([200, changed.body, 'true']);
    expect((await workspace.live.get(path, {}, 200)).body.title).toBe('Since then');
  });

  test('does the work once for twenty calls at the same moment', async () => {
    const headers = { 'idempotency-key': 'at once' };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => workspace.live.post('/v1/contacts', { name: 'Concurrent' }, headers)),
    );
    for (const { status, body } of answers) {
      if (status === 201) continue;
      expect([status, body.details]).toEqual([409, because('idempotency_in_progress')]);
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
      because('idempotency_key_reused'),
    ]);
  });

  test('with another query is 409, and one that says what none says is none', async () => {
    const headers = { 'idempotency-key': 'other query' };
    const { id } = (await workspace.live.post('/v1/keys', { name: 'Gone', scopes: ['deals:read'] })).body;
    const path = `/v1/keys/${id}`;
    const first = await workspace.live.delete(path, headers);
    const other = await workspace.live.delete(`${path}?cancelQueued=true`, headers);
    expect([other.status, other.body.details]).toEqual([409, because('idempotency_key_reused')]);
    const same = await workspace.live.delete(`${path}?cancelQueued=false`, headers);
    expect([same.status, same.body, same.headers['idempotency-replayed']]).toEqual([200, first.body, 'true']);
  });

  test('recognizes the same JSON in another spelling', async () => {
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

describe('a kept answer', () => {
  test('holds no secret, in any row: given again it has null in its place', async () => {
    const { live, id: workspaceId } = await newWorkspace();
    const key = { name: 'Minted', scopes: ['deals:read'] };
    const hook = { url: 'https://example.com/kept', eventKinds: ['deal.created'] };
    const minted = await live.post('/v1/keys', key, { 'idempotency-key': 'key' });
    const made = await live.post('/v1/webhooks', hook, { 'idempotency-key': 'hook' });
    const rotate = `/v1/webhooks/${made.body.id}/rotate`;
    const rotated = await live.post(rotate, {}, { 'idempotency-key': 'rotate' });
    const secrets = [minted.body.key, made.body.secret, rotated.body.secret];
    expect(secrets).toEqual([
      expect.stringMatching(/^csk_live_/),
      expect.stringMatching(/^whsec_/),
      expect.stringMatching(/^whsec_/),
    ]);
    expect(await live.post('/v1/keys', key, { 'idempotency-key': 'key' })).toMatchObject({
      status: 201,
      body: { ...minted.body, key: null },
      headers: { 'idempotency-replayed': 'true', location: `/v1/keys/${minted.body.id}` },
    });
    expect(await live.post('/v1/webhooks', hook, { 'idempotency-key': 'hook' })).toMatchObject({
      status: 201,
      body: { ...made.body, secret: null },
      headers: { 'idempotency-replayed': 'true' },
    });
    expect(await live.post(rotate, {}, { 'idempotency-key': 'rotate' })).toMatchObject({
      status: 200,
      body: { ...rotated.body, secret: null },
      headers: { 'idempotency-replayed': 'true' },
    });
    const bytes = await everyByteOf(workspaceId);
    expect(bytes).toContain(minted.body.keyId);
    for (const secret of secrets) {
      expect(bytes).not.toContain(secret);
      expect(bytes).not.toContain(secret.slice(-32));
    }
  });

  test('is free when the process of its first call died', async () => {
    const { id, mint } = await newWorkspace();
    const { keyId, client } = await mint({});
    const body = { name: 'Died' };
    const request = { keyId, method: 'POST', path: '/v1/contacts', body, timeoutSeconds: -10 };
    await claim({ workspaceId: id, env: 'live' }, 'died', request);
    const headers = { 'idempotency-key': 'died' };
    const done = await client.post('/v1/contacts', body, headers);
    expect([done.status, done.headers['idempotency-replayed']]).toEqual([201, undefined]);
    const again = await client.post('/v1/contacts', body, headers);
    expect([again.body, again.headers['idempotency-replayed']]).toEqual([done.body, 'true']);
  });

  test('is given to the key alone that made the first call', async () => {
    const { live, mint } = await newWorkspace();
    const { client: other } = await mint();
    const headers = { 'idempotency-key': 'mine' };
    const first = await live.post('/v1/contacts', { name: 'Mine' }, headers);
    for (const body of [{ name: 'Mine' }, { name: 'Other' }]) {
      const answer = await other.post('/v1/contacts', body, headers);
      expect([answer.status, answer.body.details]).toEqual([409, because('idempotency_key_reused')]);
    }
    expect((await live.post('/v1/contacts', { name: 'Mine' }, headers)).body).toEqual(first.body);
  });

  test('is given only while the key may still make the call', async () => {
    const { live, mint } = await newWorkspace();
    const { client, keyId } = await mint({ scopes: ['keys:manage', 'contacts:write', 'deals:read'] });
    const { id } = (await everyItem(live, '/v1/keys')).find((one) => one.keyId === keyId);
    const headers = { 'idempotency-key': 'lessened' };
    const calls = {
      mint: () => client.post('/v1/keys', { name: 'Child', scopes: ['deals:read'] }, headers),
      create: () => client.post('/v1/contacts', { name: 'Ann' }, headers),
    };
    expect([(await calls.mint()).status, (await calls.create()).status]).toEqual([201, 201]);
    await live.patch(`/v1/keys/${id}`, { scopes: ['keys:manage'] });
    const missing = (scope: string) => ({ reason: 'missing_scope', requiredScopes: [scope] });
    expect(await calls.mint()).toMatchObject({ status: 403, body: { details: missing('deals:read') } });
    expect(await calls.create()).toMatchObject({ status: 403, body: { details: missing('contacts:write') } });
    await live.patch(`/v1/keys/${id}`, { scopes: ['keys:manage', 'deals:read'], ipAllowlist: ['127.0.0.0/8'] });
    expect(await calls.mint()).toMatchObject({ status: 201, headers: { 'idempotency-replayed': 'true' } });
  });

  test('may be larger than a transaction: of a batch', async () => {
    const { live } = await newWorkspace();
    const text = (length: number) =>
      String.fromCodePoint(...Array.from({ length }, () => randomInt(0x10_000, 0x10_ff_ff)));
    const ids: number[] = [];
    for (let index = 0; index < 5; index += 1) {
      const texts = () => ({ name: text(200), company: text(200), notes: text(10_000) });
      const items = Array.from({ length: 20 }, () => ({ op: 'create', ...texts() }));
      const { results } = (await live.post('/v1/contacts/batch', { items })).body;
      ids.push(...results.map(({ contact }: { contact: { id: number } }) => contact.id));
    }
    const items = ids.map((id) => ({ op: 'update', id, email: `of${id}@example.com` }));
    const headers = { 'idempotency-key': 'large' };
    const first = await live.post('/v1/contacts/batch', { items }, headers);
    expect(first).toMatchObject({ status: 200, body: { succeeded: 100 } });
    expect(gzipSync(JSON.stringify(first.body)).length).toBeGreaterThan(3_000_000);
    const again = await live.post('/v1/contacts/batch', { items }, headers);
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, 'true']);
    expect(isDeepStrictEqual(again.body, first.body)).toBe(true);
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

  test('on a write equals that of a GET, and a stale one is 412 even with a bad body', async () => {
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
        because('stale_version'),
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
