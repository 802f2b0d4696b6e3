import '#test/faults/names.ts';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { env } from '#lib/core/env.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import { Deliveries } from '#lib/entities/delivery.ts';
import { dynamodb } from '#lib/table/client.ts';
import { keyOf } from '#lib/table/entity.ts';
import { type Client, eventually } from '#test/client.ts';
import { startNameServer } from '#test/faults/name-server.ts';
import { selfSigned } from '#test/network/certificate.ts';
import { answers, startReceiver } from '#test/webhooks/receiver.ts';
import { newWorkspace } from '#test/workspace.ts';

let api: Client;
let tenant: Tenant;

beforeAll(async () => {
  const { id, live } = await newWorkspace();
  api = live;
  tenant = { workspaceId: id, env: 'live' };
});

async function register(url: string): Promise<{ id: number; path: string }> {
  const { status, body } = await api.post('/v1/webhooks', { url, eventKinds: ['contact.created'] });
  expect(status).toBe(201);
  return { id: body.id, path: `/v1/webhooks/${body.id}` };
}

/** The one attempt of a test delivery, as the delivery shows it. */
async function tried(path: string) {
  const { status, body } = await api.post(`${path}/test`, {});
  expect(status).toBe(200);
  const detail = (await api.get(`${path}/deliveries/${body.delivery.id}`)).body;
  expect(detail.attempts).toHaveLength(1);
  return detail.attempts[0];
}

async function attemptAt(url: string) {
  const { path } = await register(url);
  const attempt = await tried(path);
  await api.delete(path);
  return attempt;
}

/** Does what it is told with each connection. */
async function listening(server: Server) {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('an attempt that fails says of what class its error is', () => {
  test('none, when it does not', async () => {
    await using receiver = await startReceiver();
    expect(await attemptAt(receiver.url)).toMatchObject({ responseStatus: 200, error: null, errorClass: null });
  });

  test.each([404, 500, 302, 410])('status: %i', async (status) => {
    await using receiver = await startReceiver(answers(status, '', { location: 'http://127.0.0.1:9/' }));
    expect(await attemptAt(receiver.url)).toMatchObject({
      responseStatus: status,
      errorClass: 'status',
      responseHeaders: { location: 'http://127.0.0.1:9/' },
    });
  });

  test('refused: no server listens', async () => {
    await using server = await listening(createServer());
    const { port } = server;
    const { path } = await register(`http://127.0.0.1:${port}/`);
    await server[Symbol.asyncDispose]();
    expect(await tried(path)).toMatchObject({ responseStatus: null, errorClass: 'refused', responseHeaders: {} });
    await api.delete(path);
  });

  test('reset: the connection ends before there is an answer, or within one', async () => {
    await using before = await listening(createServer((socket) => socket.on('data', () => socket.resetAndDestroy())));
    expect(await attemptAt(`http://127.0.0.1:${before.port}/`)).toMatchObject({ errorClass: 'reset' });
    const half = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\nX-Half: yes\r\n\r\nhalf';
    await using within = await listening(createServer((socket) => socket.on('data', () => socket.end(half))));
    expect(await attemptAt(`http://127.0.0.1:${within.port}/`)).toMatchObject({
      responseStatus: 200,
      errorClass: 'reset',
      responseHeaders: { 'x-half': 'yes' },
    });
    await using other = await listening(createServer((socket) => socket.on('data', () => socket.end('SSH-2.0\r\n'))));
    expect(await attemptAt(`http://127.0.0.1:${other.port}/`)).toMatchObject({
      error: 'the answer is not valid HTTP',
      errorClass: 'reset',
    });
  });

  test('tls: an untrusted certificate, and no TLS at all', async () => {
    await using untrusted = await listening(createSecureServer(selfSigned(), (_, response) => response.end('ok')));
    expect(await attemptAt(`https://127.0.0.1:${untrusted.port}/`)).toMatchObject({
      responseStatus: null,
      error: 'the certificate of the host is signed by itself',
      errorClass: 'tls',
    });
    await using receiver = await startReceiver();
    expect(await attemptAt(receiver.url.replace('http:', 'https:'))).toMatchObject({ errorClass: 'tls' });
  });

  test('too_large: a body, or headers', async () => {
    await using body = await startReceiver(answers(200, 'x'.repeat(1024 * 1024 + 1)));
    expect(await attemptAt(body.url)).toMatchObject({ responseStatus: 200, errorClass: 'too_large' });
    const headers = `HTTP/1.1 200 OK\r\nX-Large: ${'x'.repeat(40_000)}\r\n\r\n`;
    await using large = await listening(createServer((socket) => socket.on('data', () => socket.end(headers))));
    expect(await attemptAt(`http://127.0.0.1:${large.port}/`)).toMatchObject({ errorClass: 'too_large' });
  });

  test('dns and blocked_address: what the name of the host says by now', async () => {
    let address: string[] | 'NXDOMAIN' | undefined = ['127.0.0.1'];
    const names = await startNameServer(({ name, type }) => {
      if (!name.startsWith('hooks')) return [];
      return Array.isArray(address) && type !== 'A' ? [] : address;
    });
    const { path } = await register(`http://hooks.p${names.port}.example.com/`);
    address = 'NXDOMAIN';
    expect(await tried(path)).toMatchObject({ error: 'the name of the host is not known', errorClass: 'dns' });
    address = ['169.254.169.254'];
    expect(await tried(path)).toMatchObject({
      error: 'the address of the host is not allowed',
      errorClass: 'blocked_address',
    });
    await api.delete(path);
    await names.close();
  });
});

describe('the headers of the answer', () => {
  test('are those of each attempt, and old ones of none', async () => {
    await using receiver = await startReceiver((_, response, index) => {
      response.writeHead(index < 3 ? 503 : 200, { 'X-Try': `${index}`, 'Retry-After': '0' }).end();
    });
    const { id, path } = await register(receiver.url);
    await api.post('/v1/contacts', { name: 'Ada' });
    const detail = async (deliveryId: number) => (await api.get(`${path}/deliveries/${deliveryId}`)).body;
    const delivery = await eventually(async () => {
      const [found] = (await api.get(`${path}/deliveries`, { status: 'succeeded' })).body.items;
      return found && detail(found.id);
    }, 'the third attempt to succeed');
    expect(delivery.attempts).toMatchObject([
      { number: 1, errorClass: 'status', responseHeaders: { 'x-try': '1', 'retry-after': '0' } },
      { number: 2, errorClass: 'status', responseHeaders: { 'x-try': '2' } },
      { number: 3, errorClass: null, responseHeaders: { 'x-try': '3' } },
    ]);
    const [listed] = (await api.get(`${path}/deliveries`)).body.items;
    expect(Object.keys(listed)).not.toContain('responseHeaders');

    await dynamodb.send('UpdateItem', {
      TableName: env('TABLE_NAME'),
      Key: keyOf(tenant, Deliveries, { endpointId: id, id: delivery.id }),
      UpdateExpression: `REMOVE ${[0, 1, 2].flatMap((at) => [`attempts[${at}].responseHeaders`, `attempts[${at}].errorClass`]).join(', ')}`,
    });
    const old = await detail(delivery.id);
    expect(old.attempts).toEqual(
      delivery.attempts.map((attempt: object) => ({ ...attempt, responseHeaders: {}, errorClass: null })),
    );
    await api.delete(path);
  });

  test('show of secrets that there are some', async () => {
    await using receiver = await startReceiver((_, response) => {
      response.setHeader('Set-Cookie', ['session=s3cret-one', 'other=s3cret-two']);
      response.setHeader('X-Auth-Token', 's3cret-three');
      response.setHeader('X-Many', ['one', 'two']);
      response.end();
    });
    const attempt = await attemptAt(receiver.url);
    expect(attempt.responseHeaders).toMatchObject({
      'set-cookie': '[redacted]',
      'x-auth-token': '[redacted]',
      'x-many': 'one, two',
    });
    expect(JSON.stringify(attempt)).not.toContain('s3cret');
  });

  test('are 4 KiB at most, of which what does not fit is left out', async () => {
    const long = 'x'.repeat(4000);
    await using receiver = await startReceiver(
      answers(200, '', { 'x-first': '1', 'x-fits': long.slice(0, 3800), 'x-long': long, 'x-last': '2' }),
    );
    const { responseHeaders } = await attemptAt(receiver.url);
    expect(responseHeaders).toMatchObject({ 'x-first': '1', 'x-fits': long.slice(0, 3800), 'x-last': '2' });
    expect(responseHeaders).not.toHaveProperty('x-long');
    expect(Buffer.byteLength(JSON.stringify(responseHeaders))).toBeLessThanOrEqual(4096);
  });

  test('may be called as JavaScript calls other things, and hold what no text may', async () => {
    const odd = 'HTTP/1.1 200 OK\r\n__proto__: a\r\nConstructor: b\r\nX-Odd: \x80\xffé\r\nContent-Length: 0\r\n\r\n';
    await using server = await listening(
      createServer((socket) => socket.on('data', () => socket.end(Buffer.from(odd, 'latin1')))),
    );
    const { responseStatus, responseHeaders } = await attemptAt(`http://127.0.0.1:${server.port}/`);
    expect([responseStatus, responseHeaders['x-odd']]).toEqual([200, 'ÿé']);
  });
});
