import { beforeAll, describe, expect, test, vi } from 'vitest';
import { apiRevision } from '#lib/core/revision.ts';
import { converse, type Toolbox } from '#lib/mcp/converse.ts';
import { api, eventually, freshAddress } from '#test/client.ts';
import { mcp, meta, modernVersion } from '#test/mcp/client.ts';
import { place } from '#test/place.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let client: ReturnType<typeof mcp>;
beforeAll(async () => {
  workspace = await newWorkspace();
  client = mcp(workspace.liveKey);
});

const serverInfo = { name: 'crm', title: 'CRM', version: apiRevision };
const serverMeta = { 'io.modelcontextprotocol/serverInfo': serverInfo };
const capabilities = { tools: { listChanged: false } };
const supported = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'];
const failed = (code: number) => ({ jsonrpc: '2.0', id: expect.any(Number), error: expect.objectContaining({ code }) });

describe('the handshake era', () => {
  test.each(['2025-03-26', '2025-06-18', '2025-11-25'])('agrees on version %s', async (protocolVersion) => {
    const { status, headers, body } = await client.send({
      jsonrpc: '2.0',
      id: 'a',
      method: 'initialize',
      params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    });
    expect([status, body]).toEqual([
      200,
      {
        jsonrpc: '2.0',
        id: 'a',
        result: { protocolVersion, capabilities, serverInfo, instructions: expect.stringMatching(/\S/) },
      },
    ]);
    expect([headers['content-type'], headers['mcp-session-id']]).toEqual(['application/json', undefined]);
  });

  test('offers its newest version to a client that asks for another', async () => {
    const { body } = await client.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2024-11-05', capabilities: {} },
    });
    expect(body.result.protocolVersion).toBe('2025-11-25');
  });

  test('takes note of notifications and answers with 202 and no body', async () => {
    for (const method of ['notifications/initialized', 'notifications/cancelled']) {
      const { status, body, headers } = await client.send({ jsonrpc: '2.0', method });
      expect([status, body, headers['content-type']]).toEqual([202, undefined, undefined]);
    }
    expect((await client.send({ jsonrpc: '2.0', id: 1, result: {} })).status).toBe(202);
  });

  test('answers ping, and an unknown method with -32601', async () => {
    expect((await client.legacy('ping')).body.result).toEqual({});
    const { status, body } = await client.legacy('resources/list');
    expect([status, body]).toEqual([200, failed(-32601)]);
  });

  test('is told by the absence of a version in _meta, whatever Mcp-Method says', async () => {
    const { body } = await client.legacy('tools/list', {}, { 'mcp-method': 'tools/list' });
    expect(body.result).toEqual({ tools: expect.any(Array) });
  });

  test('refuses a version header that it does not know', async () => {
    const { status, body } = await client.legacy('ping', {}, { 'mcp-protocol-version': '1999-01-01' });
    expect([status, body.error.code, body.error.data]).toEqual([400, -32022, { supported, requested: '1999-01-01' }]);
  });

  test('answers the messages of a batch in version 2025-03-26 only', async () => {
    const batch = [
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'workspace_get', arguments: { part: 'me' } } },
      7,
    ];
    const { status, body } = await client.send(batch);
    expect(status).toBe(200);
    expect(body.map(({ id, error }: { id: unknown; error?: { code: number } }) => [id, error?.code])).toEqual([
      [1, undefined],
      [2, undefined],
      [null, -32600],
    ]);
    expect((await client.send([batch[1]])).status).toBe(202);
    for (const [sent, version] of [
      [batch, '2025-06-18'],
      [[], '2025-03-26'],
    ] as const) {
      const refused = await client.send(sent, { 'mcp-protocol-version': version });
      expect([refused.status, refused.body.error.code]).toEqual([400, -32600]);
    }
  });

  test('begins no call of a batch that takes too long', async () => {
    const begun: unknown[] = [];
    const slow: Toolbox = {
      list: () => [],
      call: async (_, { n }) => {
        begun.push(n);
        vi.setSystemTime(Date.now() + 5000);
        return { content: [], structuredContent: {} } as never;
      },
    };
    const body = [1, 2, 3, 4, 5].map((n) => ({
      ...{ jsonrpc: '2.0', id: n, method: 'tools/call', params: { name: 'slow', arguments: { n } } },
    }));
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const answer = await converse({ headers: {}, body, bodyProblem: undefined, count: async () => {} }, slow);
      expect(begun).toEqual([1, 2, 3]);
      const answers = JSON.parse(answer.body) as { id: number; error?: { code: number; message: string } }[];
      expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
        ...[1, 2, 3].map((n) => [n, undefined]),
        ...[4, 5].map((n) => [n, -32603]),
      ]);
    } finally {
      vi.useRealTimers();
    }
  });

  test('counts every tool call of a batch against the rate limit', async () => {
    const { key } = await workspace.mint({ rateLimitPerMinute: 5 });
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'workspace_get', arguments: {} } };
    const { status, body, headers } = await mcp(key).send(Array.from({ length: 12 }, () => call));
    expect([status, body.error, headers['retry-after']]).toEqual([429, 'rate_limited', expect.stringMatching(/^\d+$/)]);
  });
});

describe('the stateless era', () => {
  test('describes itself on server/discover', async () => {
    const { status, body } = await client.modern('server/discover');
    expect([status, body.result]).toEqual([
      200,
      {
        resultType: 'complete',
        supportedVersions: supported,
        capabilities,
        instructions: expect.stringMatching(/\S/),
        ttlMs: 300_000,
        cacheScope: 'private',
        _meta: serverMeta,
      },
    ]);
  });

  test('marks every result as complete and lists as privately cacheable', async () => {
    const listed = await client.modern('tools/list');
    expect(listed.body.result).toEqual({
      resultType: 'complete',
      tools: expect.any(Array),
      ttlMs: 300_000,
      cacheScope: 'private',
      _meta: serverMeta,
    });
    const called = await client.modern('tools/call', { name: 'workspace_get', arguments: { part: 'me' } });
    expect(Object.keys(called.body.result)).toEqual(['resultType', 'content', 'structuredContent', '_meta']);
  });

  test.each(['initialize', 'ping', 'resources/list', 'logging/setLevel', 'subscriptions/listen'])(
    'answers %s with 404 and -32601',
    async (method) => {
      const { status, body } = await client.modern(method);
      expect([status, body]).toEqual([404, failed(-32601)]);
    },
  );

  test.each([
    ['another version header', { 'mcp-protocol-version': '2025-11-25' }],
    ['another method header', { 'mcp-method': 'tools/list' }],
    ['a method header in other letters', { 'mcp-method': 'TOOLS/CALL' }],
    ['another name header', { 'mcp-name': 'contacts_get' }],
    ['a name header that is no Base64', { 'mcp-name': '=?base64?SGVs!!!bG8=?=' }],
  ])('refuses %s with -32020', async (_, headers) => {
    const { status, body } = await client.modern('tools/call', { name: 'workspace_get', arguments: {} }, headers);
    expect([status, body]).toEqual([400, failed(-32020)]);
  });

  test.each(['mcp-protocol-version', 'mcp-method', 'mcp-name'])('refuses a missing %s with -32020', async (missing) => {
    const mirrors = { 'mcp-protocol-version': modernVersion, 'mcp-method': 'tools/call', 'mcp-name': 'workspace_get' };
    const headers = Object.fromEntries(Object.entries(mirrors).filter(([name]) => name !== missing));
    const params = { name: 'workspace_get', arguments: { part: 'me' }, _meta: meta };
    const { status, body } = await client.send({ jsonrpc: '2.0', id: 7, method: 'tools/call', params }, headers);
    expect([status, body]).toEqual([400, { ...failed(-32020), id: 7 }]);
  });

  test('reads a name header in Base64', async () => {
    const name = `=?base64?${Buffer.from('workspace_get').toString('base64')}?=`;
    const params = { name: 'workspace_get', arguments: { part: 'me' } };
    expect((await client.modern('tools/call', params, { 'mcp-name': name })).status).toBe(200);
  });

  test('refuses an unknown version with -32022 and says which it speaks', async () => {
    const _meta = { ...meta, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
    const { status, body } = await client.modern('tools/list', { _meta }, { 'mcp-protocol-version': '2099-01-01' });
    expect([status, body.error.code, body.error.data]).toEqual([400, -32022, { supported, requested: '2099-01-01' }]);
  });

  test('does not repeat a version of absurd length', async () => {
    const _meta = { ...meta, 'io.modelcontextprotocol/protocolVersion': '2'.repeat(1_000_000) };
    const { status, body } = await client.send({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } });
    expect([status, body.error.data]).toEqual([400, { supported, requested: '2'.repeat(100) }]);
  });

  test.each(['protocolVersion', 'clientCapabilities'])('refuses a _meta without %s with -32602', async (name) => {
    const { [`io.modelcontextprotocol/${name}`]: _, ...others } = meta as Record<string, unknown>;
    const { status, body } = await client.modern('tools/list', { _meta: others });
    expect([status, body]).toEqual([400, failed(-32602)]);
  });

  test('refuses a handshake under its version header with -32020', async () => {
    const { status, body } = await client.legacy('initialize', {}, { 'mcp-protocol-version': modernVersion });
    expect([status, body]).toEqual([400, failed(-32020)]);
  });
});

describe('both eras', () => {
  test('answer an unknown tool like one without the scope', async () => {
    const { key } = await workspace.mint({ scopes: ['deals:read'] });
    const limited = mcp(key);
    for (const send of [limited.legacy, limited.modern]) {
      for (const name of ['contacts_get', 'no_such_tool', 'constructor']) {
        const { status, body } = await send('tools/call', { name, arguments: {} });
        expect([status, body.error]).toEqual([200, { code: -32602, message: `unknown tool: ${name}` }]);
      }
    }
  });

  test('refuse what is no call', async () => {
    for (const send of [client.legacy, client.modern]) {
      expect((await send('tools/call', { name: 'workspace_get', arguments: [1] })).body).toEqual(failed(-32602));
      expect((await send('tools/call', { arguments: {} })).body).toEqual(failed(-32602));
      expect((await send('tools/list', { cursor: 'x' })).body).toEqual(failed(-32602));
    }
  });

  test.each([
    ['broken JSON', '{"jsonrpc":', -32700],
    ['another protocol', { hello: 'world' }, -32600],
    ['an id that is null', { jsonrpc: '2.0', id: null, method: 'ping' }, -32600],
    ['a method that is no text', { jsonrpc: '2.0', id: 1, method: 7 }, -32600],
    ['parameters by position', { jsonrpc: '2.0', id: 1, method: 'ping', params: [1] }, -32602],
    ['a text', '"ping"', -32600],
  ])('refuse %s', async (_, body, code) => {
    const answer = await client.send(body);
    expect([answer.status, answer.body.error.code]).toEqual([400, code]);
  });

  test('refuse subscriptions/listen at once', async () => {
    for (const send of [client.legacy, client.modern]) {
      const { status, headers, body } = await send('subscriptions/listen', {
        notifications: { toolsListChanged: true },
      });
      expect([status, headers['content-type'], body]).toEqual([404, 'application/json', failed(-32601)]);
    }
  });
});

describe('the endpoint', () => {
  test.each(['GET', 'DELETE', 'PUT'])('answers %s with 405 and Allow: POST', async (method) => {
    const { status, headers, body } = await workspace.live.call(method, '/mcp', {
      headers: { accept: 'text/event-stream' },
    });
    expect([status, headers['allow'], body.error]).toEqual([405, 'POST', 'bad_request']);
  });

  test('asks for a key without pointing to OAuth metadata, which answer a JSON 404', async () => {
    const anonymous = api(undefined, { address: freshAddress() });
    const { status, headers, body } = await anonymous.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' });
    expect([status, headers['www-authenticate'], body.error]).toEqual([401, 'Bearer realm="api"', 'unauthorized']);
    for (const path of [
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-protected-resource/mcp',
      '/.well-known/oauth-authorization-server',
    ]) {
      const missing = await anonymous.get(path);
      expect([missing.status, missing.body.error]).toEqual([404, 'not_found']);
    }
  });

  test('refuses other sites and names that were pointed at this machine', async () => {
    const own = new URL(place('baseUrl')).host;
    for (const [headers, status] of [
      [{ origin: `http://${own}` }, 200],
      [{ origin: 'https://evil.example.com' }, 403],
      [{ origin: 'null' }, 403],
      [{ origin: 'http://evil.example.com', host: 'evil.example.com' }, 403],
    ] as const) {
      const answer = await client.legacy('ping', {}, headers);
      expect(answer.status, JSON.stringify(headers)).toBe(status);
      if (status === 403) expect(answer.body.details).toEqual(because('foreign_origin'));
    }
  });

  test('counts every request against the rate limit and says so as everywhere', async () => {
    const { key } = await workspace.mint({ rateLimitPerMinute: 10 });
    const limited = mcp(key);
    const first = await limited.modern('tools/list');
    const second = await limited.modern('tools/call', { name: 'workspace_get', arguments: { part: 'me' } });
    expect([first, second].map(({ headers }) => headers['x-ratelimit-limit'])).toEqual(['10', '10']);
    const answers = await Promise.all(Array.from({ length: 20 }, () => limited.modern('tools/list')));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.body).toEqual({
      error: 'rate_limited',
      message: expect.any(String),
      details: { retryAfterSeconds: expect.any(Number) },
    });
  });

  test('leaves no audit entry of lists and one of each write', async () => {
    const own = await newWorkspace();
    const { value, list, call } = mcp(own.liveKey);
    await list();
    const { id } = await value('contacts_create', { name: 'Audited' });
    await value('contacts_update', { id, stage: 'engaged', note: 'Hello' });
    await call('contacts_update', { id: 999_999, stage: 'engaged' });
    const entries = await eventually(async () => {
      const { body } = await own.live.get('/v1/audit-events');
      return body.items.length >= 3 && (body.items as { method: string; path: string; status: number }[]);
    }, 'the audit trail');
    expect(entries.map(({ method, path, status }) => [method, path, status]).sort()).toEqual([
      ['PATCH', `/v1/contacts/${id}`, 200],
      ['PATCH', '/v1/contacts/999999', 404],
      ['POST', '/v1/contacts', 201],
    ]);
  });

  test('leaves of a refused write to an absurd path an entry with its beginning', async () => {
    const own = await newWorkspace();
    const { call } = mcp(own.liveKey);
    const [ofMcp, ofHttp] = [`/v1/contacts/${'x'.repeat(1_000_000)}`, `/v1/${'y'.repeat(8000)}`];
    await call('contacts_update', { id: ofMcp.split('/').at(-1), stage: 'engaged' });
    await own.live.post(ofHttp, undefined, 404);
    const entries = await eventually(async () => {
      const { body } = await own.live.get('/v1/audit-events');
      return body.items.length >= 2 && (body.items as { path: string; status: number; resourceType: string }[]);
    }, 'the audit trail');
    expect(entries.map(({ path, status }) => [path, status]).sort()).toEqual([
      [ofMcp.slice(0, 500), 404],
      [ofHttp.slice(0, 500), 404],
    ]);
    for (const { resourceType } of entries) expect(resourceType.length).toBeLessThanOrEqual(500);
  });
});
