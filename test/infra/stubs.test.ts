import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleFunctions } from '#infra/bundle.ts';
import { authorizationOf, type Received } from '#test/aws/signature.ts';
import { handler as source } from '#test/infra/stubs.ts';

type Parts = typeof source;

let folder: string;
let bundled: Parts;
let server: Server;
let root: string;
let answer: RequestListener;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-stubs-'));
  const file = join(import.meta.dirname, 'stubs.ts');
  await bundleFunctions([{ name: 'stubs', domain: 'workers', file }], folder);
  ({ handler: bundled } = await import(pathToFileURL(join(folder, 'stubs/index.mjs')).href));
  server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

describe('a URL that a customer gave is called as it is from the source', () => {
  const maxBytes = 1000;
  const calls: [what: string, listener: RequestListener, body: string | undefined, failure: string | null][] = [
    ['an answer', (_, response) => response.writeHead(201, { 'x-mark': '1' }).end('done'), 'a body', null],
    ['an echo', (request, response) => request.pipe(response), 'a body', null],
    ['a redirect', (_, response) => response.writeHead(302, { location: '/' }).end(), undefined, null],
    ['pieces', (_, response) => response.write('1', () => response.end('2')), undefined, null],
    ['too much', (_, response) => response.end('1'.repeat(maxBytes + 1)), undefined, 'too_large'],
    ['silence', () => {}, undefined, 'timeout'],
    ['a broken connection', (request) => request.socket.destroy(), undefined, 'reset'],
    ['no HTTP', (request) => request.socket.end('HTTP/1.1 2OO\r\n\r\n'), undefined, 'malformed'],
  ];
  const send = async ({ openOutbound }: Parts, reach: 'public' | 'local', url: string, body?: string) => {
    const outbound = openOutbound({ reach, maxBytes });
    const request = { headers: { 'x-sent': '1' }, timeoutMs: 500, ...(body && { body: Buffer.from(body) }) };
    const { headers, ...rest } = await outbound.send(url, { method: body ? 'POST' : 'GET', ...request });
    await outbound.close();
    return { ...rest, headers: { ...headers, date: undefined } };
  };

  test.each(calls)('%s', async (_, listener, body, failure) => {
    answer = listener;
    const ofBundle = await send(bundled, 'local', root, body);
    expect(ofBundle).toMatchObject({ failure });
    expect(ofBundle).toEqual(await send(source, 'local', root, body));
  });

  test.each(['127.0.0.1', '[::ffff:127.0.0.1]', 'localhost'])('never at %s', async (host) => {
    answer = () => expect.unreachable();
    const url = root.replace('127.0.0.1', host);
    expect(await send(bundled, 'public', url)).toMatchObject({ failure: 'forbidden_address' });
  });

  test('by TLS', async () => {
    const url = root.replace('http:', 'https:');
    const ofBundle = await send(bundled, 'local', url);
    expect(ofBundle).toMatchObject({ error: 'the host offers no TLS connection that can be trusted' });
    expect(ofBundle).toEqual(await send(source, 'local', url));
  });
});

test('a provider is asked, and noticed to break off, as it is from the source', async () => {
  answer = (request, response) =>
    request.url === '/api/ends' ? request.socket.destroy() : response.end(JSON.stringify({ path: request.url }));
  const provider = bundled.openProvider(`${root}/api`);
  expect(await provider.request('POST', '/json', {}, { a: 1 })).toMatchObject({
    status: 200,
    body: { path: '/api/json' },
  });
  expect(await provider.request('GET', '/ends', {})).toMatchObject({ wasWritten: true });
  await provider.close();
});

test('a request to AWS is signed with the credentials of the environment, as from the source', async () => {
  const requests: Received[] = [];
  answer = async (request, response) => {
    requests.push({ url: `${request.url}`, headers: request.headers, body: await text(request) });
    response.end('{}');
  };
  await bundled.sendMail(root);
  await source.sendMail(root);
  expect(requests).toHaveLength(2);
  for (const request of requests) expect(request.headers.authorization).toBe(authorizationOf(request));
});

test("a bundle has mtcute's WebAssembly beside it", async () => {
  const data = Buffer.alloc(64, 3);
  expect(await bundled.encryptIge(data)).toBe(await source.encryptIge(data));
});
