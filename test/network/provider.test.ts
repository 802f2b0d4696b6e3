import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { openProvider } from '#lib/network/provider.ts';
import { overlong, startRawServer } from './raw-server.ts';

let server: Server | undefined;

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function stop() {
  server?.closeAllConnections();
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  server = undefined;
}

afterEach(stop);

test('a provider is asked below its root, and its answer is read as JSON when it is', async () => {
  const root = await serve((request, response) => {
    response.writeHead(request.url === '/api/text' ? 502 : 200, { 'x-mark': '1' });
    response.end(request.url === '/api/text' ? '<html>' : JSON.stringify({ path: request.url }));
  });
  const provider = openProvider(`${root}/api/`);
  const json = await provider.request('POST', '/json', {}, { a: 1 });
  expect(json).toMatchObject({ status: 200, headers: { 'x-mark': '1' }, body: { path: '/api/json' } });
  expect(await provider.request('GET', '/text', {})).toMatchObject({ status: 502, body: undefined });
  await provider.close();
});

test.each([
  ['brackets that nobody closes', '['.repeat(1_000_000)],
  ['lists in lists', '['.repeat(500_000) + ']'.repeat(500_000)],
  ['objects in objects', `${'{"a":'.repeat(170_000)}1${'}'.repeat(170_000)}`],
  ['lists beside lists', `[${'[],'.repeat(300_000)}[]]`],
])('an answer of %s leaves room for the next', async (_, text) => {
  const root = await serve((request, response) => {
    if (request.url === '/huge') response.writeHead(400).end(text);
    else response.end(JSON.stringify({ description: `brackets: "\\${'['.repeat(100)}` }));
  });
  const provider = openProvider(root);
  expect(await provider.request('GET', '/huge', {})).toMatchObject({ status: 400, text });
  expect(await provider.request('GET', '/', {})).toMatchObject({
    body: { description: expect.stringMatching(/^brackets: "\\\[{100}$/) },
  });
  await provider.close();
});

test('a provider that cannot be reached was certainly not told anything', async () => {
  const root = await serve(() => {});
  await stop();
  const provider = openProvider(root);
  expect(await provider.request('POST', '/', {}, {})).toEqual({ wasWritten: false, error: 'ECONNREFUSED' });
  await provider.close();
});

test('a provider that breaks off may have been told', async () => {
  const root = await serve((request) => request.socket.destroy());
  const provider = openProvider(root);
  expect(await provider.request('POST', '/', {}, {})).toMatchObject({ wasWritten: true });
  await provider.close();
});

test.each(overlong)('the headers of a provider are refused when they are too long: %s', async (_, answer) => {
  await using raw = await startRawServer((socket) => socket.write(answer));
  const provider = openProvider(raw.url);
  const error = 'UND_ERR_HEADERS_OVERFLOW';
  expect(await provider.request('POST', '/', {}, {})).toEqual({ wasWritten: true, error });
  await provider.close();
});
