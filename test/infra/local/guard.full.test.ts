import { chmodSync, globSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Engine, startEngine } from '#infra/local/engine.ts';
import { createDataDir, credentialsOf } from '#infra/local/files.ts';
import { temporaryFolder } from '#test/infra/local/cloud-assembly.ts';
import { place } from '#test/place.ts';
import { commandOf, descendants } from '#test/processes.ts';

const folder = temporaryFolder();
afterAll(folder.remove);

interface Asked {
  method?: string;
  headers: Record<string, string>;
}

const credential = (accessKeyId: string) => ({
  authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/20300101/us-east-1/any/aws4_request, SignedHeaders=host, Signature=0`,
});

function ask(url: string, { method = 'POST', headers }: Asked) {
  return new Promise<{ status: number | undefined; allowsOrigin: boolean }>((resolve, reject) => {
    // A connection of its own, as a browser has.
    const all = { 'content-type': 'application/x-amz-json-1.0', ...headers };
    const asked = request(url, { method, headers: all, agent: false });
    asked.once('error', reject).once('response', (answer) => {
      const allowsOrigin = 'access-control-allow-origin' in answer.headers;
      answer.resume().once('end', () => resolve({ status: answer.statusCode, allowsOrigin }));
    });
    asked.end(method === 'POST' ? '{}' : undefined);
  });
}

describe('the services of the running system', () => {
  const environment = inject('environment');
  const accessKeyId = String(environment['AWS_ACCESS_KEY_ID']);
  const endpoints = Object.entries(environment).filter(([name]) => /^AWS_ENDPOINT_URL_./.test(name));

  test.each(endpoints)('%s refuses web pages, other names and other keys', async (_, url) => {
    const own = credential(accessKeyId);
    const { port } = new URL(url);
    expect((await ask(url, { headers: own })).status).not.toBe(403);
    expect((await ask(url, { headers: { ...own, host: `localhost:${port}` } })).status).not.toBe(403);
    const refused: Asked[] = [
      { headers: {} },
      { headers: credential('local') },
      { headers: { ...own, origin: 'https://evil.example' } },
      { headers: { ...own, origin: 'null' } },
      { headers: { ...own, host: `evil.example:${port}` } },
      { headers: { ...own, host: '127.0.0.1.evil.example' } },
      { headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' }, method: 'OPTIONS' },
      { headers: {}, method: 'GET' },
    ];
    for (const asked of refused)
      expect(await ask(url, asked), JSON.stringify(asked)).toEqual({ status: 403, allowsOrigin: false });
  });

  test('each system has its own random access key', () => {
    expect(endpoints.length).toBeGreaterThan(4);
    expect(accessKeyId).toMatch(/^LOCAL[0-9A-F]{32}$/);
    const [one, other] = ['one', 'other'].map((name) => {
      const dataDir = join(folder.path, name);
      createDataDir(dataDir);
      expect(credentialsOf(dataDir)).toEqual(credentialsOf(dataDir));
      return credentialsOf(dataDir);
    });
    expect(one).not.toEqual(other);
  });
});

describe('the guard in front of the engine', () => {
  let engine: Engine;
  const heard: string[] = [];
  beforeAll(async () => {
    const onGivenUp = (error: Error) => {
      throw error;
    };
    const guarded = { host: '127.0.0.1', port: 0, accessKeyId: 'known' };
    const hear = (_: string, body: Buffer) => heard.push(String(body));
    const own = { endpoint: undefined, folder: join(folder.path, 'engine'), hear, onGivenUp };
    engine = await startEngine({ ...guarded, ...own });
  });
  afterAll(() => engine.stop());

  /** The status line of what comes back for these bytes, sent in pieces. */
  const say = (...pieces: string[]) =>
    new Promise<string>((resolve, reject) => {
      const { hostname, port } = new URL(engine.url);
      let answer = '';
      const socket = connect(Number(port), hostname, async () => {
        for (const piece of pieces) {
          socket.write(piece, 'latin1');
          await new Promise((sent) => setTimeout(sent, 20));
        }
      });
      socket.on('data', (data) => {
        answer += data;
        if (answer.includes('\r\n')) socket.destroy();
      });
      socket.once('error', reject).once('close', () => resolve(answer.split('\r\n')[0] as string));
    });
  const head = (...lines: string[]) => ['POST / HTTP/1.1', 'host: 127.0.0.1', ...lines, '', ''].join('\r\n');
  const { authorization } = credential('known');
  const listTables = [
    'x-amz-date: 20300101T000000Z',
    'x-amz-target: DynamoDB_20120810.ListTables',
    'content-type: application/x-amz-json-1.0',
  ];

  test('passes who knows the key, however the request comes in', async () => {
    const whole = `${head(...listTables, `authorization: ${authorization}`, 'content-length: 2')}{}`;
    expect(await say(whole)).toBe('HTTP/1.1 200 OK');
    expect(await say(whole.slice(0, 30), whole.slice(30, 90), whole.slice(90))).toBe('HTTP/1.1 200 OK');
    expect(await say(whole + whole.slice(0, -1), '}')).toBe('HTTP/1.1 200 OK');
    const credentials = { accessKeyId: 'known', secretAccessKey: 'any' };
    const client = new DynamoDBClient({ endpoint: engine.url, region: 'us-east-1', credentials });
    expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual([]);
    client.destroy();
  });

  test('refuses a connection by its first head, and one without an end', async () => {
    const forbidden = 'HTTP/1.1 403 Forbidden';
    const key = `authorization: ${authorization}`;
    expect(await say(head(...listTables))).toBe(forbidden);
    expect(await say(head(key, 'origin: https://evil.example'))).toBe(forbidden);
    expect(await say(head(key).replace('127.0.0.1', 'evil.example'))).toBe(forbidden);
    expect(await say(head(key, 'host: evil.example'))).toBe(forbidden);
    expect(await say(head('authorization: other', key))).toBe(forbidden);
    expect(await say(`POST / HTTP/1.1\r\n${'x'.repeat(17 * 1024)}`)).toBe(forbidden);
  });

  test('tells each request of a connection, however it comes in', async () => {
    const body = JSON.stringify({ text: 'x'.repeat(300_000) });
    const one = `${head(...listTables, `authorization: ${authorization}`, `content-length: ${body.length}`)}${body}`;
    const before = heard.length;
    const { hostname, port } = new URL(engine.url);
    const socket = connect(Number(port), hostname);
    for (const piece of [one.slice(0, 100_000), one.slice(100_000) + one.slice(0, 20), one.slice(20)]) {
      socket.write(piece, 'latin1');
      await new Promise((sent) => setTimeout(sent, 20));
    }
    await expect.poll(() => heard.slice(before).map((text) => text === body)).toEqual([true, true]);
    socket.destroy();
  });

  test.runIf(process.platform === 'linux')('hides the engine from who asks the usual address', () => {
    const pid = descendants(process.pid).find((child) => commandOf(child).endsWith('dynoxide'));
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    expect(args[args.indexOf('--host') + 1]).toMatch(/^127\.(?!0\.0\.1$)\d+\.\d+\.\d+$/);
  });
});

test('DATA_DIR and what an earlier start left in it are for their owner alone', () => {
  const mode = (path: string) => statSync(path).mode & 0o777;
  const dataDir = join(folder.path, 'open');
  const outside = join(folder.path, 'outside');
  mkdirSync(join(dataDir, 'mail'), { recursive: true });
  for (const path of [outside, join(dataDir, 'lock'), join(dataDir, 'mail', 'a.eml')]) {
    writeFileSync(path, '');
    chmodSync(path, 0o644);
  }
  chmodSync(join(dataDir, 'mail'), 0o755);
  chmodSync(dataDir, 0o755);
  symlinkSync(outside, join(dataDir, 'link'));
  createDataDir(dataDir);
  expect([dataDir, join(dataDir, 'mail')].map(mode)).toEqual([0o700, 0o700]);
  expect([join(dataDir, 'lock'), join(dataDir, 'mail', 'a.eml')].map(mode)).toEqual([0o600, 0o600]);
  expect(mode(outside)).toBe(0o644);
});

test('the files of a running system are readable by their owner alone', () => {
  const dataDir = place('dataDir');
  const written = globSync('{dynamodb,logs,mail,checkpoints,*.json}{,/*}', { cwd: dataDir });
  expect(written).toEqual(expect.arrayContaining(['system.json', 'dynamodb/dynamodb.sqlite', 'logs', 'mail']));
  // A file that has gone since it was listed is open to nobody.
  const isOpen = (name: string) => (statSync(join(dataDir, name), { throwIfNoEntry: false })?.mode ?? 0) & 0o077;
  expect(written.filter(isOpen)).toEqual([]);
});
