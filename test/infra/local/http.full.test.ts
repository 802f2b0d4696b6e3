import { request } from 'node:http';
import { connect } from 'node:net';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '#infra/local/functions/invocation.ts';
import { routeTable } from '#infra/local/http/routes.ts';
import { type HttpApi, startHttpApi } from '#infra/local/http.ts';

let api: HttpApi;
let answer: (functionName: string, event: APIGatewayProxyEventV2) => unknown;

const routes = [
  { method: 'GET', path: '/v1/things', functionName: 'list' },
  { method: 'POST', path: '/v1/things', functionName: 'create' },
  { method: 'GET', path: '/v1/things/{id}', functionName: 'get' },
  { method: 'POST', path: '/v1/things/search', functionName: 'search' },
  { method: 'GET', path: '/v1/things/{id}/parts/{part}', functionName: 'part' },
  { method: 'ANY', path: '/v1/any', functionName: 'any' },
  { method: 'GET', path: '/page', functionName: 'root' },
  { method: 'GET', path: '/page/{path+}', functionName: 'page' },
  { method: 'POST', path: '/page/{id}', functionName: 'post' },
  { method: 'ANY', path: '$default', functionName: 'fallback' },
];

beforeAll(async () => {
  api = await startHttpApi({ host: '127.0.0.1', port: 0, accountId: '111111111111' });
  api.serve(routes, async (name, event): Promise<Answer> => {
    try {
      return { payload: JSON.stringify((await answer(name, JSON.parse(event))) ?? null) };
    } catch (error) {
      return { error: { errorType: 'Error', errorMessage: (error as Error).message, trace: [] } };
    }
  });
});
afterAll(() => api.close(100));

/** The event that a request becomes. */
async function eventOf(path: string, init: RequestInit = {}) {
  const seen: APIGatewayProxyEventV2[] = [];
  answer = (_name, event) => {
    seen.push(event);
    return { statusCode: 204 };
  };
  await fetch(`${api.url}${path}`, init);
  return seen[0] as APIGatewayProxyEventV2;
}

async function answered(result: unknown, init: RequestInit = {}) {
  answer = () => result;
  return fetch(`${api.url}/v1/things`, init);
}

test('literal segments win over variables, a method over ANY, and $default takes the rest', () => {
  const match = routeTable(routes);
  const named = (method: string, path: string) => match(method, path)?.route.functionName;
  expect(named('POST', '/v1/things/search')).toBe('search');
  expect(named('GET', '/v1/things/search')).toBe('get');
  expect(named('GET', '/v1/things/7/parts/8')).toBe('part');
  expect(named('PATCH', '/v1/any')).toBe('any');
  for (const [method, path] of [
    ['DELETE', '/v1/things'],
    ['HEAD', '/v1/things'],
    ['OPTIONS', '/v1/things'],
    ['GET', '/v1/things/'],
    ['GET', '/v1/things//parts/8'],
    ['GET', '/'],
  ] as const) {
    expect(named(method, path)).toBe('fallback');
  }
});

test('a greedy variable takes the rest of a path, also an empty one, where nothing else does', () => {
  const match = routeTable(routes);
  const found = (method: string, path: string) => {
    const { route, pathParameters } = match(method, path) ?? {};
    return [route?.functionName, pathParameters];
  };
  expect(found('GET', '/page')).toEqual(['root', {}]);
  expect(found('GET', '/page/')).toEqual(['page', { path: '' }]);
  expect(found('GET', '/page/a/b.js')).toEqual(['page', { path: 'a/b.js' }]);
  expect(found('POST', '/page/7')).toEqual(['post', { id: '7' }]);
  expect(found('POST', '/page/7/8')).toEqual(['fallback', {}]);
});

test('an event has the members of payload format 2.0', async () => {
  const event = await eventOf('/v1/things/a%20b?x=1&x=2&y=%C3%A9&empty=', { headers: { 'User-Agent': 'test' } });
  expect(event).toMatchObject({
    version: '2.0',
    routeKey: 'GET /v1/things/{id}',
    rawPath: '/v1/things/a b',
    rawQueryString: 'x=1&x=2&y=%C3%A9&empty=',
    queryStringParameters: { x: '1,2', y: 'é', empty: '' },
    pathParameters: { id: 'a b' },
    isBase64Encoded: false,
    requestContext: {
      accountId: '111111111111',
      stage: '$default',
      routeKey: 'GET /v1/things/{id}',
      http: { method: 'GET', path: '/v1/things/a b', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'test' },
    },
  });
  expect(event.requestContext.time).toMatch(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/);
  expect(Math.abs(event.requestContext.timeEpoch - Date.now())).toBeLessThan(60_000);
});

test('members that a request does not have are absent', async () => {
  const event = await eventOf('/v1/things');
  for (const name of ['body', 'cookies', 'queryStringParameters', 'pathParameters'])
    expect(event).not.toHaveProperty(name);
  expect(event.rawQueryString).toBe('');
});

test('no header chooses under which name the API was asked', async () => {
  const headers = { Host: 'evil.execute-api.eu-central-1.amazonaws.com' };
  expect((await eventOf('/v1/things', { headers })).requestContext.domainName).toBe('localhost');
});

test('other websites reach neither the panel nor a session’s calls, by Origin or by host name', async () => {
  answer = () => ({ statusCode: 200 });
  const { port } = new URL(api.url);
  const statusOf = (path: string, headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      request({ host: '127.0.0.1', port, path, headers }, (answer) => resolve(answer.resume().statusCode))
        .on('error', reject)
        .end();
    });
  const own = { host: `127.0.0.1:${port}` };
  const session = { authorization: 'Bearer cps_x' };
  const foreign = [
    { ...own, origin: 'https://evil.example' },
    { ...own, origin: 'null' },
    { ...own, origin: `http://127.0.0.1:${Number(port) + 1}` },
    { host: 'evil.example' },
    { host: `evil.example:${port}`, origin: `http://evil.example:${port}` },
  ];
  for (const headers of foreign) {
    expect(await statusOf('/panel/', headers), JSON.stringify(headers)).toBe(403);
    expect(await statusOf('/panel', headers)).toBe(403);
    expect(await statusOf('/v1/things', { ...headers, ...session })).toBe(403);
    expect(await statusOf('/v1/things', headers)).toBe(200);
  }
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`])
    for (const headers of [{ host }, { host, origin: `http://${host}` }])
      expect(await statusOf('/v1/things', { ...headers, ...session }), host).toBe(200);
});

test('header names are lower case, repeated headers joined, cookies apart', async () => {
  const headers = new Headers({ 'X-One': 'a', 'X-Forwarded-For': '10.0.0.1', Cookie: 'a=1; b=2' });
  headers.append('X-One', 'b');
  const event = await eventOf('/v1/things', { headers });
  expect(event.headers['x-one']).toMatch(/^a, ?b$/);
  expect(event.headers['x-forwarded-for']).toBe('10.0.0.1, 127.0.0.1');
  expect(event.cookies).toEqual(['a=1', 'b=2']);
  expect(event.headers).not.toHaveProperty('cookie');
});

test('text bodies come as they are, all others in base64', async () => {
  const bodyOf = async (contentType: string) => {
    const { body, isBase64Encoded } = await eventOf('/v1/things', {
      method: 'POST',
      body: Buffer.from('{"é":1}'),
      headers: contentType === '' ? {} : { 'content-type': contentType },
    });
    return isBase64Encoded ? ['base64', Buffer.from(body as string, 'base64').toString()] : ['text', body];
  };
  for (const type of ['application/json', 'application/json; charset=utf-8', 'text/plain', 'application/xml']) {
    expect(await bodyOf(type)).toEqual(['text', '{"é":1}']);
  }
  for (const type of ['application/octet-stream', 'application/x-www-form-urlencoded', '']) {
    expect(await bodyOf(type)).toEqual(['base64', '{"é":1}']);
  }
});

test('a structured result gives status, headers, cookies and a decoded body', async () => {
  const response = await answered({
    statusCode: 201,
    headers: { 'Content-Type': 'image/png', 'X-Count': 3 },
    cookies: ['a=1', 'b=2; Secure'],
    body: Buffer.from([1, 2, 250]).toString('base64'),
    isBase64Encoded: true,
  });
  expect(response.status).toBe(201);
  expect(response.headers.get('content-type')).toBe('image/png');
  expect(response.headers.get('x-count')).toBe('3');
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2; Secure']);
  expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([1, 2, 250]);
});

test('a result without a status code is the JSON body of a 200', async () => {
  const response = await answered({ a: 1 });
  expect([response.status, response.headers.get('content-type'), await response.json()]).toEqual([
    200,
    'application/json',
    { a: 1 },
  ]);
  expect(await (await answered('plain')).text()).toBe('plain');
});

test('a function that fails or breaks the format is a 500 that tells nothing', async () => {
  const broken = [{ statusCode: 'soon' }, { statusCode: 200, body: { not: 'text' } }, { statusCode: 999 }];
  for (const result of broken) {
    const response = await answered(result);
    expect([response.status, await response.json()]).toEqual([500, { message: 'Internal Server Error' }]);
  }
  answer = () => {
    throw new Error('secret');
  };
  const response = await fetch(`${api.url}/v1/things`);
  expect([response.status, await response.json()]).toEqual([500, { message: 'Internal Server Error' }]);
});

test('HEAD goes to $default and its answer has no body', async () => {
  answer = (name) => ({ statusCode: 404, body: name });
  const response = await fetch(`${api.url}/v1/things`, { method: 'HEAD' });
  expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([404, '8', '']);
});

test('a body of any size reaches the function, which refuses it: no more than 2 MiB of it', async () => {
  answer = (_, event) => ({ statusCode: 200, body: String(event.body?.length) });
  const received = async (megabytes: number) => {
    const body = 'x'.repeat(megabytes * 1024 * 1024);
    const options = { method: 'POST', body, headers: { 'content-type': 'text/plain' } };
    return Number(await (await fetch(`${api.url}/v1/things`, options)).text()) / 1024 / 1024;
  };
  expect([await received(1), await received(3), await received(11)]).toEqual([1, 2, 2]);
});

test('a connection is kept for the next request', async () => {
  answer = () => ({ statusCode: 204 });
  const { port, hostname } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  const request = 'GET /v1/things HTTP/1.1\r\nHost: local\r\n\r\n';
  for (const expected of [1, 2]) {
    socket.write(request);
    await expect.poll(() => received.split('HTTP/1.1 204').length - 1).toBe(expected);
  }
  socket.destroy();
});

test('until it is given routes every request is a 503', async () => {
  const early = await startHttpApi({ host: '127.0.0.1', port: 0, accountId: '111111111111' });
  const response = await fetch(early.url);
  expect([response.status, await response.json()]).toEqual([503, { message: 'Service Unavailable' }]);
  await early.close(100);
});

test('an answer of more bytes than Lambda takes is a 500 of the API itself', async () => {
  const body = (bytes: number) => '\u4e2d'.repeat(bytes / 3);
  expect((await answered({ statusCode: 200, body: body(6_291_000) })).status).toBe(200);
  const refused = await answered({ statusCode: 200, body: body(6_291_600) });
  expect({ status: refused.status, body: await refused.json() }).toEqual({
    status: 500,
    body: { message: 'Internal Server Error' },
  });
});

test('a request line and header values of more than 10,240 bytes together never reach a function', async () => {
  answer = () => ({ statusCode: 204 });
  const statusWith = async (bytes: number) =>
    (await fetch(`${api.url}/v1/things`, { headers: { a: 'x'.repeat(bytes) } })).status;
  expect(await statusWith(10_000)).toBe(204);
  expect(await statusWith(10_240)).toBe(431);
});
