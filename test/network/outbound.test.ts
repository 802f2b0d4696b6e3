import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Outbound, openOutbound } from '#lib/network/outbound.ts';
import type { Lookup } from '#lib/network/resolver.ts';
import { isPublicAddress } from '#lib/network/ssrf-guard.ts';
import { isForbiddenHost } from '#lib/network/ssrf-ranges.ts';
import { endless, overlong, startRawServer } from './raw-server.ts';

const secret = Buffer.from('a secret of the inside');

let inside: Server;
let port: number;
let connections = 0;

beforeAll(async () => {
  inside = await listening((_, response) => response.end(secret), '::');
  inside.on('connection', () => {
    connections += 1;
  });
  port = (inside.address() as AddressInfo).port;
});

afterAll(() => inside.close());

async function listening(listener: RequestListener, host = '127.0.0.1'): Promise<Server> {
  const server = createHttpServer(listener);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return server;
}

const answering =
  (...addresses: string[]): Lookup =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

const get = (outbound: Outbound, url: string, timeoutMs = 5_000) =>
  outbound.send(url, { method: 'GET', headers: {}, timeoutMs });

describe('an address of the inside is never connected to', () => {
  const spellings = [
    '127.0.0.1',
    '127.0.0.2',
    '127.1',
    '127.0.1',
    '0',
    '0.0.0.0',
    '0x7f000001',
    '0x7f.0.0.1',
    '0x7f.1',
    '2130706433',
    '017700000001',
    '0177.0.0.1',
    '0177.0.0.01',
    '１２７.０.０.１',
    '127。0。0。1',
    '127.0.0.1.',
    '%31%32%37.0.0.1',
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:7f00:0001]',
    '[::127.0.0.1]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
    'localhost',
    'LOCALHOST',
    'ⓛocalhost',
  ];

  test.each(spellings)('spelled %s', async (host) => {
    const outbound = openOutbound({ reach: 'public' });
    const before = connections;
    const answer = await get(outbound, `http://${host}:${port}/`);
    await outbound.close();
    expect({ ...answer, connections: connections - before }).toEqual({
      status: null,
      headers: {},
      body: Buffer.alloc(0),
      failure: 'forbidden_address',
      error: 'the address of the host is not allowed',
      connections: 0,
    });
  });

  test.each(spellings)('spelled %s, over TLS', async (host) => {
    const outbound = openOutbound({ reach: 'public' });
    const before = connections;
    const { failure } = await get(outbound, `https://${host}:${port}/`);
    await outbound.close();
    expect({ failure, connections: connections - before }).toEqual({ failure: 'forbidden_address', connections: 0 });
  });

  test.each([
    '10.1.2.3',
    '100.64.0.1',
    '169.254.169.254',
    '169.254.170.2',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.0.2.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '2001:db8::1',
    '2001::1',
    '2001:10::1',
    '2002:a9fe:a9fe::',
    '3fff::1',
    '5f00::1',
    '4000::1',
    '100::1',
  ])('nor %s', async (address) => {
    expect(isPublicAddress(address)).toBe(false);
    expect(await isForbiddenHost('hooks.example.com', { reach: 'public', lookup: answering(address) })).toBe(true);
    const outbound = openOutbound({ reach: 'public', lookup: answering(address) });
    expect((await get(outbound, 'http://hooks.example.com/')).failure).toBe('forbidden_address');
    await outbound.close();
  });

  test('nor a name with a trailing dot, which some resolvers do not know', async () => {
    const before = connections;
    const outbound = openOutbound({ reach: 'public' });
    expect((await get(outbound, `http://localhost.:${port}/`)).status).toBeNull();
    await outbound.close();
    expect(connections).toBe(before);
  });

  test('not even when a public address stands beside it', async () => {
    const before = connections;
    for (const lookup of [answering('8.8.8.8', '127.0.0.1'), answering('::1', '2606:4700::1')]) {
      const outbound = openOutbound({ reach: 'public', lookup });
      expect((await get(outbound, `http://hooks.example.com:${port}/`)).failure).toBe('forbidden_address');
      await outbound.close();
    }
    expect(connections).toBe(before);
  });

  test('nor when the name answers otherwise the second time', async () => {
    const before = connections;
    let asked = 0;
    const rebinding: Lookup = (hostname) => {
      asked += 1;
      return answering(asked === 1 ? '8.8.8.8' : '127.0.0.1')(hostname);
    };
    expect(await isForbiddenHost('hooks.example.com', { reach: 'public', lookup: rebinding })).toBe(false);
    const outbound = openOutbound({ reach: 'public', lookup: rebinding });
    expect((await get(outbound, `http://hooks.example.com:${port}/`)).failure).toBe('forbidden_address');
    await outbound.close();
    expect({ asked, connections }).toEqual({ asked: 2, connections: before });
  });

  test('nor by way of a redirect', async () => {
    const before = connections;
    const redirecting = await listening((_, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${port}/` }).end(),
    );
    const outbound = openOutbound({ reach: 'local' });
    const answer = await get(outbound, urlOf(redirecting));
    await outbound.close();
    redirecting.close();
    expect({ status: answer.status, failure: answer.failure }).toEqual({ status: 302, failure: null });
    expect(connections).toBe(before);
  });

  test('unless the operator allows it', async () => {
    const outbound = openOutbound({ reach: 'local' });
    const answer = await get(outbound, `http://127.0.0.1:${port}/`);
    await outbound.close();
    expect({ status: answer.status, body: answer.body, failure: answer.failure }).toEqual({
      status: 200,
      body: secret,
      failure: null,
    });
  });
});

describe('where the operator allows private networks', () => {
  test.each([
    '169.254.169.254',
    '[fd00:ec2::254]',
    '[fd00:ec2::23]',
    '[fd00:ec2::253]',
    '[fe80::1]',
    '0.0.0.0',
    '[::]',
    '100.100.100.200',
    '224.0.0.1',
    '255.255.255.255',
    '240.0.0.1',
    '[64:ff9b::169.254.169.254]',
    '[::ffff:169.254.169.254]',
    '2852039166',
    '0xa9fea9fe',
  ])('%s stays shut', async (host) => {
    const outbound = openOutbound({ reach: 'local' });
    const { failure } = await get(outbound, `http://${host}:${port}/`);
    await outbound.close();
    expect(failure).toBe('forbidden_address');
    expect(await isForbiddenHost(new URL(`http://${host}/`).hostname, { reach: 'local' })).toBe(true);
  });

  test('a name that answers with the metadata address is refused, at registration and at the send', async () => {
    const lookup = answering('10.0.0.1', '169.254.169.254');
    expect(await isForbiddenHost('hooks.example.com', { reach: 'local', lookup })).toBe(true);
    const outbound = openOutbound({ reach: 'local', lookup });
    const { failure } = await get(outbound, 'http://hooks.example.com/');
    await outbound.close();
    expect(failure).toBe('forbidden_address');
  });

  test.each(['127.0.0.1', '[::1]', '10.0.0.1', '172.17.0.1', '192.168.1.1', '[fd12::1]'])(
    '%s is open',
    async (host) => {
      expect(await isForbiddenHost(host, { reach: 'local' })).toBe(false);
    },
  );
});

test('a deployment that allows private networks still forbids the loopback address', async () => {
  vi.stubEnv('WEBHOOK_PRIVATE_NETWORKS', 'allow');
  vi.stubEnv('WEBHOOK_LOOPBACK', '');
  for (const host of ['127.0.0.1', '127.1.2.3', '[::1]', '[::ffff:127.0.0.1]'])
    expect(await isForbiddenHost(new URL(`http://${host}/`).hostname), host).toBe(true);
  expect(await isForbiddenHost('10.0.0.1')).toBe(false);
  const outbound = openOutbound();
  const { failure } = await get(outbound, 'http://127.0.0.1:9001/2018-06-01/runtime/invocation/next');
  await outbound.close();
  vi.unstubAllEnvs();
  expect(failure).toBe('forbidden_address');
});

test.each(['8.8.8.8', '1.1.1.1', '93.184.216.34', '2606:4700::1111', '::ffff:8.8.8.8'])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test('a name that does not resolve is not forbidden yet: it is checked again at every send', async () => {
  const unknown: Lookup = () => Promise.reject(new Error('ENOTFOUND'));
  expect(await isForbiddenHost('hooks.example.com', { lookup: unknown })).toBe(false);
});

describe('a host of several addresses', () => {
  /** The addresses that are tried while it does something. */
  async function tried(work: () => Promise<unknown>): Promise<string[]> {
    const addresses: string[] = [];
    const note = (message: unknown) =>
      (message as { socket: Socket }).socket.on('connectionAttempt', (address: string) => addresses.push(address));
    subscribe('net.client.socket', note);
    await work();
    unsubscribe('net.client.socket', note);
    return addresses;
  }

  test('is asked at no IPv6 address by a machine that has none, as a function outside of a VPC', async () => {
    const { networkInterfaces } = os;
    const server = await listening((_, response) => response.end('yes'));
    const outbound = openOutbound({ reach: 'local', lookup: answering('2606:4700::1', '127.0.0.1') });
    os.networkInterfaces = () => ({ lo: networkInterfaces()['lo'], eth0: [] });
    syncBuiltinESMExports();
    try {
      const url = urlOf(server).replace('127.0.0.1', 'hooks.example');
      expect(await tried(async () => expect((await get(outbound, url)).body.toString()).toBe('yes'))).toEqual([
        '127.0.0.1',
      ]);
    } finally {
      os.networkInterfaces = networkInterfaces;
      syncBuiltinESMExports();
      await outbound.close();
      server.close();
    }
  });

  test('is given longer than a quarter of a second at the first of them', async () => {
    // Its thread is held before it takes connections: those that its queue has no room for are asked for again after a second.
    const source = `
      const { parentPort, workerData } = require('node:worker_threads');
      const server = require('node:http').createServer((_, response) => response.end('late'));
      server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => {
        parentPort.postMessage(server.address().port);
        Atomics.wait(workerData, 0, 0);
      });`;
    const held = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(source, { eval: true, workerData: held });
    const port = await new Promise<number>((resolve) => worker.once('message', resolve));
    const fillers = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => {}));
    await sleep(200);
    const outbound = openOutbound({ reach: 'local', lookup: answering('127.0.0.1', '127.0.0.2') });
    const sent = get(outbound, `http://hooks.example:${port}/`);
    await sleep(400);
    Atomics.store(held, 0, 1);
    Atomics.notify(held, 0);
    const { error, body } = await sent;
    for (const socket of fillers) socket.destroy();
    await Promise.all([outbound.close(), worker.terminate()]);
    expect([error, body.toString()]).toEqual([null, 'late']);
  });
});

describe('an answer that is not whole', () => {
  const open: { close(): unknown }[] = [];
  afterAll(() => Promise.all(open.map((one) => one.close())));

  async function ask(listener: RequestListener, timeoutMs = 5_000) {
    const server = await listening(listener);
    const outbound = openOutbound({ reach: 'local' });
    open.push(outbound, {
      close: () => {
        server.closeAllConnections();
        server.close();
      },
    });
    return get(outbound, urlOf(server), timeoutMs);
  }

  test('hanging before its first byte is late', async () => {
    const { status, failure, error } = await ask(() => {}, 100);
    expect({ status, failure, error }).toEqual({
      status: null,
      failure: 'timeout',
      error: 'no complete answer within 100 ms',
    });
  });

  test('dripping a byte at a time is late, though it is never idle', async () => {
    const { status, failure, body } = await ask((_, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(drip));
    }, 300);
    expect({ status, failure }).toEqual({ status: 200, failure: 'timeout' });
    expect(body.length).toBeGreaterThan(0);
  });

  test('being too large is read no further than the limit', async () => {
    let sent = 0;
    const { status, failure, body } = await ask((_, response) => {
      const piece = Buffer.alloc(64 * 1024, 'x');
      const write = () => {
        while (sent < 10 * 1024 * 1024 && !response.destroyed) {
          sent += piece.length;
          if (!response.write(piece)) {
            response.once('drain', write);
            return;
          }
        }
        response.end();
      };
      write();
    });
    expect({ status, failure }).toEqual({ status: 200, failure: 'too_large' });
    expect(body.length).toBeLessThan(2 * 1024 * 1024);
  });

  test('being reset in the middle keeps the status and what came', async () => {
    const { status, failure, body } = await ask((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
      setTimeout(() => response.socket?.resetAndDestroy(), 50);
    });
    expect({ status, failure, body: body.toString() }).toEqual({ status: 200, failure: 'reset', body: 'half' });
  });

  test('an address where no server listens is reported as such', async () => {
    const server = await listening(() => {});
    const url = urlOf(server);
    await new Promise((resolve) => server.close(resolve));
    const outbound = openOutbound({ reach: 'local' });
    open.push(outbound);
    expect(await get(outbound, url)).toMatchObject({
      status: null,
      failure: 'refused',
      error: 'the host cannot be reached, or refuses the connection',
    });
  });

  test('broken TLS is reported as such', async () => {
    const sockets = new Set<Socket>();
    const server = createTcpServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {}).end('this is not TLS');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const outbound = openOutbound({ reach: 'local' });
    open.push(outbound, {
      close: () => {
        for (const socket of sockets) socket.destroy();
        server.close();
      },
    });
    const { port } = server.address() as AddressInfo;
    expect(await get(outbound, `https://127.0.0.1:${port}/`)).toMatchObject({ status: null, failure: 'tls' });
  });
});

describe('the head of a server’s answer', () => {
  const post = (outbound: Outbound, url: string, keptBytes?: number) =>
    outbound.send(url, {
      method: 'POST',
      headers: {},
      body: Buffer.from('{}'),
      timeoutMs: 5_000,
      ...(keptBytes !== undefined && { keptBytes }),
    });

  test.each(overlong)('is refused when its headers are too long: %s', async (_, answer) => {
    await using server = await startRawServer((socket) => socket.write(answer));
    const outbound = openOutbound({ reach: 'local' });
    const received = await post(outbound, server.url);
    await outbound.close();
    const error = 'the headers of the answer are larger than 16384 bytes';
    expect(received).toMatchObject({ failure: 'too_large', error });
  });

  test.each(endless)('is waited for until the deadline: %s', async (_, answer) => {
    await using server = await startRawServer((socket) => socket.write(answer));
    const outbound = openOutbound({ reach: 'local' });
    expect(await get(outbound, server.url, 300)).toMatchObject({ failure: 'timeout' });
    await outbound.close();
  });

  test('is counted for each answer of a connection separately', async () => {
    const headers = Array.from({ length: 100 }, (_, n) => `X-Header-${n}: value\r\n`).join('');
    await using server = await startRawServer((socket) => socket.write(`HTTP/1.1 204 No Content\r\n${headers}\r\n`));
    const outbound = openOutbound({ reach: 'local' });
    for (let n = 0; n < 40; n += 1)
      expect(await post(outbound, server.url)).toMatchObject({ status: 204, error: null });
    await outbound.close();
    expect(server.connections).toBeLessThan(5);
  });

  test.each(['000', '099', '2OO'])('is reported as not HTTP when its status is %s', async (status) => {
    await using server = await startRawServer((socket) =>
      socket.write(`HTTP/1.1 ${status} X\r\nContent-Length: 0\r\n\r\n`),
    );
    const outbound = openOutbound({ reach: 'local' });
    expect(await post(outbound, server.url)).toMatchObject({
      status: null,
      failure: 'malformed',
      error: 'the answer is not valid HTTP',
    });
    await outbound.close();
  });

  test.each(['102 Processing', '103 Early Hints'])('is passed over when it is %s', async (interim) => {
    const answer = `HTTP/1.1 ${interim}\r\nX-Hint: 1\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`;
    await using server = await startRawServer((socket) => socket.write(answer));
    const outbound = openOutbound({ reach: 'local' });
    const { status, headers, body, error } = await post(outbound, server.url);
    await outbound.close();
    expect([status, headers, body.toString(), error]).toEqual([200, { 'content-length': '2' }, 'ok', null]);
  });

  test('an answer in many chunks is read whole, and kept in memory of its own as far as it is wanted', async () => {
    const chunk = 'abcdefghij'.repeat(11);
    const size = chunk.length.toString(16);
    const answer = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${`${size}\r\n${chunk}\r\n`.repeat(9_000)}0\r\n\r\n`;
    await using server = await startRawServer((socket) => socket.write(answer));
    const outbound = openOutbound({ reach: 'local' });
    const [whole, beginning] = [await post(outbound, server.url), await post(outbound, server.url, 4096)];
    await outbound.close();
    expect([whole.error, whole.body.toString() === chunk.repeat(9_000)]).toEqual([null, true]);
    expect([beginning.error, beginning.body.toString()]).toEqual([null, chunk.repeat(100).slice(0, 4096)]);
    expect(beginning.body.buffer.byteLength).toBeLessThanOrEqual(8192);
  });
});

const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
