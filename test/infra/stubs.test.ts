import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import sesPackage from '@aws-sdk/client-sesv2/package.json' with { type: 'json' };
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
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

describe('HTML is sanitised as it is from the source', () => {
  test.each([
    '<p style="color: red; position: fixed; background-color: #fff">styled</p>',
    '<p style="color: red; /*# sourceMappingURL=data:application/json;base64,e30= */ margin: 1px !important">mapped</p>',
    '<p style="color: url(javascript:alert(1)); width: expression(alert(1)); font-family: \'A b\', serif">functions</p>',
    '<p style="color: red } * { display: none">broken out</p>',
    '<p style="color: red; } @import url(//a.example); b {">at rule</p>',
    '<p style="}{">no style</p><p style="color">no value</p><p style="\\63olor: red">escaped</p>',
    '<a href="jav&#x61;script&colon;alert(1)">script</a><a href="java&Tab;script:alert(1)">tab</a>',
    '<a href="https://a.example/?a=1&amp;b=2&copy=3">link</a><a href="//a.example">relative</a><a href="tel:1">call</a>',
    '<img src="cid:1"><img src="data:image/png;base64,AA==" onerror="alert(1)"><font color=red>f</font>',
    '<script>alert(1)</script><style>p { color: red }</style><textarea><p>&lt;b&gt;</textarea><b>left open',
    '<svg><a xlink:href="javascript:alert(1)">x</a></svg><!-- comment --><![CDATA[data]]>&nbsp;&notin;&unknown;&#128512;',
    'one<br>two<p>three</p><table><tr><td colspan="2">four &amp; five</td></tr></table>',
  ])('%s', (html) => {
    expect(bundled.sanitise(html)).toBe(source.sanitise(html));
    expect(bundled.textOf(html)).toBe(source.textOf(html));
  });
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
    expect(ofBundle).toMatchObject({ error: expect.stringContaining('ERR_SSL') });
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

test('a request to AWS is signed, and says which version of the client sends it, as from the source', async () => {
  const requests: Received[] = [];
  answer = async (request, response) => {
    requests.push({ url: `${request.url}`, headers: request.headers, body: await text(request) });
    response.end('{}');
  };
  await bundled.sendMail(root);
  await source.sendMail(root);
  const { version } = sesPackage;
  const [agent, ofSource] = requests.map(({ headers }) => `${headers['user-agent']}`);
  expect(agent).toContain(`aws-sdk-js/${version} `);
  // The package's CommonJS names a version of its own.
  expect(agent?.replaceAll(version, '')).toBe(ofSource?.replaceAll(/(?<=js\/|sesv2#)[\d.]+/g, ''));
  for (const request of requests) expect(request.headers.authorization).toBe(authorizationOf(request));
});

test('calls to AWS are signed, one after the other, as from the source', async () => {
  const requests: Received[] = [];
  answer = async (request, response) => {
    requests.push({ url: `${request.url}`, headers: request.headers, body: await text(request) });
    response.end('{"QueueUrl":"there"}');
  };
  vi.stubEnv('AWS_ENDPOINT_URL_SQS', root);
  vi.stubEnv('AWS_ENDPOINT_URL_KMS', root);
  for (const { call } of [bundled, source])
    for (const service of ['sqs', 'kms', 'sqs'] as const)
      expect(await call({ service, operation: 'Ask', body: '{}' })).toEqual({ QueueUrl: 'there' });
  vi.unstubAllEnvs();
  expect(requests).toHaveLength(6);
  for (const request of requests) expect(request.headers.authorization).toBe(authorizationOf(request));
});

test('the log says what it says from the source', () => {
  const lines = [bundled, source].map(({ log }) => {
    const logger = log();
    logger.setLogLevel('WARN');
    const { console } = logger as unknown as { console: Console };
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    logger.warn('what is wrong', {
      error: Object.assign(new TypeError('so wrong', { cause: new Error('why') }), { code: 'E' }),
      of: { id: 5 },
      list: [1, 2],
    });
    logger.appendPersistentKeys({ other: 'x' });
    logger.appendKeys({ kept: { a: 1 }, passing: [1], unset: undefined });
    logger.appendKeys({ kept: { b: { c: 2 }, a: undefined }, passing: [2] });
    logger.warn('with keys');
    logger.resetKeys();
    logger.warn('without them');
    const levels = [logger.getLevelName()];
    logger.setLogLevel('ERROR');
    logger.warn('not said');
    levels.push(logger.getLevelName(), logger.createChild().getLevelName());
    logger.setLogLevel('WARN');
    const all = warn.mock.calls.map(([line]) => JSON.parse(String(line)));
    expect(all).toMatchObject([
      {
        level: 'WARN',
        message: 'what is wrong',
        of: { id: 5 },
        list: [1, 2],
        error: { code: 'E', cause: { message: 'why' } },
      },
      { message: 'with keys', kept: { a: 1, b: { c: 2 } }, passing: [2] },
      { message: 'without them', other: 'x' },
    ]);
    for (const { timestamp } of all) expect(Date.parse(timestamp)).toBeGreaterThan(0);
    expect(all[0].error.location).toMatch(/\.\w+:\d+$/);
    expect(all[0].error.stack).toContain('so wrong');
    const unlike = ['stack', 'location', 'timestamp'];
    return JSON.stringify([all, levels], (key, value) => (unlike.includes(key) ? undefined : value));
  });
  expect(lines[0]).toBe(lines[1]);
});
