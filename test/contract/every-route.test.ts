import { beforeAll, describe, expect, test } from 'vitest';
import { loadRoutes } from '#infra/functions.ts';
import { apiRevision } from '#lib/core/revision.ts';
import type { Scope } from '#lib/core/scopes.ts';
import { scopes, scopesOf } from '#lib/core/scopes.ts';
import { type Answer, api, eventually, freshAddress } from '#test/client.ts';
import { settle } from '#test/harness.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

const routes = (await loadRoutes()).map(({ route }) => route).filter(({ path }) => path.startsWith('/v1/'));
const keyed = routes
  .filter(({ scope }) => scope !== 'public')
  .map((route) => ({ name: `${route.method} ${route.path}`, route }));

const isList = ({ method, path, query }: (typeof routes)[number]) =>
  method === 'GET' &&
  query !== undefined &&
  !path.includes('{') &&
  'limit' in ((query as unknown as { entries?: object }).entries ?? {});

/** Ids are per tenant and small, so nothing has this one. */
const nowhere = 2_147_483_647;
const pathOf = (path: string, id: string | number = nowhere) => path.replaceAll(/\{[^}]+\}/g, String(id));

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

/** What every answer carries (contract 0.4). */
function expectHeaders({ headers }: Answer, method: string) {
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'])
    expect(headers[name], name).toMatch(/^\d+$/);
  expect(headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,64}$/);
  expect(headers['x-api-revision']).toBe(apiRevision);
  expect(headers['content-type']).toBe('application/json');
  if (method !== 'GET') expect(headers['cache-control']).toBe('no-store');
}

function expectProblem(answer: Answer, method: string, status: number, error: string, details: unknown) {
  expect({ status: answer.status, body: answer.body }).toEqual({
    status,
    body: { error, message: expect.stringMatching(/\S/), details },
  });
  expectHeaders(answer, method);
}

test('there is something to test', () => {
  expect(routes.length).toBeGreaterThan(10);
});

describe.each(keyed)('$name', ({ route }) => {
  test('without a key is 401 before any other error', async () => {
    const answer = await api(undefined, { address: freshAddress() }).call(
      route.method,
      pathOf(route.path, 'x'),
      route.method === 'GET' ? {} : { body: '{' },
    );
    expectProblem(answer, route.method, 401, 'unauthorized', because('missing_key'));
    expect(answer.headers['x-ratelimit-limit']).toBe('60');
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm=/);
  });

  if (scopesOf(route).length > 0) {
    test('without its scope is 403 and names it, before the resource and the body are looked at', async () => {
      const { client } = await limited(scopes.filter((scope) => !scopesOf(route).includes(scope)));
      const answer = await client.call(route.method, pathOf(route.path), route.method === 'GET' ? {} : { body: '{' });
      expectProblem(answer, route.method, 403, 'forbidden', {
        ...because('missing_scope'),
        requiredScopes: scopesOf(route),
      });
    });
  }

  if (route.path.includes('{id}')) {
    test('is 404 for a resource that does not exist, also with a bad body', async () => {
      const answer = await workspace.live.call(route.method, pathOf(route.path), route.body ? { body: '{' } : {});
      expectProblem(answer, route.method, 404, 'not_found', null);
    });
  }

  if (isList(route)) {
    test('names ignored parameters and refuses a limit that is no integer', async () => {
      const ignoring = await workspace.live.get(route.path, { nonsense: 1, 'also this': 2, limit: 100_000 });
      expect(ignoring.status).toBe(200);
      expect(ignoring.headers['x-ignored-parameters']).toBe('nonsense,also%20this');
      for (const [name, value] of [
        ['limit', 'many'],
        ['limit', '1.5'],
      ] as const) {
        const answer = await workspace.live.get(route.path, { [name]: value });
        expect(answer.status).toBe(400);
        expect(answer.body.details.fields).toEqual([
          { field: `query.${name}`, code: 'invalid_type', message: expect.any(String) },
        ]);
      }
    });
  }
});

/** One route of each shape: the steps before the work are the same for all. */
const shapes = [
  ...Map.groupBy(
    keyed,
    ({ route: { method, path, body } }) => `${method} ${path.includes('{id}')} ${body === undefined}`,
  ),
].flatMap(([, [first]]) => first ?? []);

describe.each(shapes)('$name as all of its shape', ({ route }) => {
  test('with a wrong secret is 401 unknown_key', async () => {
    const wrong = `${workspace.liveKey.slice(0, -4)}AAAA`;
    const answer = await api(wrong, { address: freshAddress() }).call(route.method, pathOf(route.path));
    expectProblem(answer, route.method, 401, 'unauthorized', because('unknown_key'));
  });

  test('echoes a request id of the allowed form and replaces any other', async () => {
    const sent = await workspace.live.call(route.method, pathOf(route.path), {
      headers: { 'x-request-id': 'My.id_1-2' },
    });
    expect(sent.headers['x-request-id']).toBe('My.id_1-2');
    const replaced = await workspace.live.call(route.method, pathOf(route.path), {
      headers: { 'x-request-id': 'a b' },
    });
    expect(replaced.headers['x-request-id']).toMatch(/^[A-Z0-9]{26}$/);
    expectHeaders(replaced, route.method);
  });

  if (scopesOf(route).length > 0) {
    test('from an address that the key does not allow is 403', async () => {
      const { key } = await elsewhere();
      const answer = await api(key, { address: freshAddress() }).call(route.method, pathOf(route.path));
      expectProblem(answer, route.method, 403, 'forbidden', because('ip_not_allowed'));
    });
  }

  if (route.path.includes('{id}')) {
    test('with an id that is no integer is 404', async () => {
      for (const id of ['abc', '0', '-1', '1.5', '99999999999', '%00']) {
        const answer = await workspace.live.call(route.method, pathOf(route.path, id));
        expectProblem(answer, route.method, 404, 'not_found', null);
      }
    });
  }

  if (route.body && !route.path.includes('{')) {
    test('refuses a body that is not a JSON object, in the envelope', async () => {
      const { live } = workspace;
      expectProblem(await live.call(route.method, route.path, { body: '{"a":' }), route.method, 400, 'bad_request', {
        ...because('malformed_json'),
      });
      expectProblem(
        await live.call(route.method, route.path, { body: '{}', headers: { 'content-type': 'text/plain' } }),
        route.method,
        400,
        'bad_request',
        because('unsupported_content_type'),
      );
      expectProblem(
        await live.call(route.method, route.path, { body: JSON.stringify({ name: 'x'.repeat(1_100_000) }) }),
        route.method,
        400,
        'bad_request',
        because('body_too_large'),
      );
      const deep = await live.call(route.method, route.path, { body: `${'['.repeat(50_000)}${']'.repeat(50_000)}` });
      expect([deep.status, deep.body.error]).toEqual([400, 'bad_request']);
      for (const body of ['{"name":"\\ud800"}', '{"\\uDFFF":[]}', '{"a":{"b":["\\uD83Dx"]}}']) {
        const answer = await live.call(route.method, route.path, { body });
        expectProblem(answer, route.method, 400, 'bad_request', because('malformed_json'));
      }
      for (const body of ['[]', '"text"', '7', 'null']) {
        const answer = await live.call(route.method, route.path, { body });
        expect(answer.status, body.slice(0, 20)).toBe(400);
        expect(answer.body.details.fields[0].field).toBe('body');
      }
    });
  }
});

describe('every path', () => {
  const paths = [...Map.groupBy(routes, ({ path }) => path)];
  test.each(paths)('%s answers 405 with Allow to a method that it does not have', async (path, own) => {
    const methods = own.map(({ method }) => method);
    const missing = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'].find(
      (method) => !methods.includes(method as 'GET'),
    ) as string;
    const answer = await workspace.live.call(missing, pathOf(path, 1));
    expect(answer.status).toBe(405);
    expect(answer.body.error).toBe('bad_request');
    expect(answer.headers['allow']?.split(', ').sort()).toEqual([...methods].sort());
    expectHeaders(answer, missing);
  });

  test('is 404 when unknown, or 401 under /v1 without a key', async () => {
    const anonymous = api(undefined, { address: freshAddress() });
    for (const path of ['/v1/nothing', '/v1', '/v1/contacts/1/nothing', '/v1/contacts/']) {
      expectProblem(await workspace.live.get(path), 'GET', 404, 'not_found', null);
      expectProblem(await anonymous.get(path), 'GET', 401, 'unauthorized', because('missing_key'));
    }
    for (const path of [
      '/',
      '/v2/contacts',
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-authorization-server',
    ]) {
      expectProblem(await anonymous.get(path), 'GET', 404, 'not_found', null);
    }
  });
});

const minted = new Map<string, ReturnType<TestWorkspace['mint']>>();
const once = (name: string, options: Parameters<TestWorkspace['mint']>[0]) => {
  const known = minted.get(name) ?? workspace.mint(options);
  minted.set(name, known);
  return known;
};
const limited = (granted: readonly Scope[]) => once(granted.join(), { scopes: granted });
const elsewhere = () => once('elsewhere', { ipAllowlist: ['203.0.113.0/24'] });

test('a key in a request id or a user agent is not stored', async () => {
  const { live, liveKey } = workspace;
  const headers = { 'x-request-id': liveKey, 'user-agent': `a script ${liveKey}` };
  // The entries of the refusals above are numbered when they are published.
  await settle();
  const { headers: answered } = await live.post('/v1/contacts', { name: 'Ann' }, headers);
  const requestId = answered['x-request-id'];
  expect(requestId).toMatch(/^[A-Z0-9]{26}$/);
  const entry = await eventually(async () => {
    const { items } = (await live.get('/v1/audit-events')).body;
    return items.find((item: { requestId: string }) => item.requestId === requestId);
  }, 'the entry of the audit trail');
  expect(entry.userAgent).toBe('a script csk_live_…');
});
