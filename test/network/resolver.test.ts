import '#test/faults/names.ts';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openOutbound } from '#lib/network/outbound.ts';
import { type NameResolver, openResolver, ResolverDown } from '#lib/network/resolver.ts';
import { isForbiddenHost } from '#lib/network/ssrf-ranges.ts';
import { startNameServer } from '#test/faults/name-server.ts';
import { startReceiver } from '#test/webhooks/receiver.ts';

type NameServer = Awaited<ReturnType<typeof startNameServer>>;

const answers: Record<string, Record<string, readonly string[] | 'NXDOMAIN' | 'SERVFAIL' | 'REFUSED' | undefined>> = {
  both: { A: ['127.0.0.1', '127.0.0.2'], AAAA: ['::1'] },
  first: { A: ['127.0.0.1'], AAAA: [] },
  second: { A: [], AAAA: ['2606:4700::1111'] },
  half: { A: ['127.0.0.1'], AAAA: undefined },
  broken: { A: 'SERVFAIL', AAAA: ['::1'] },
  inside: { A: ['8.8.8.8'], AAAA: ['::1'] },
  none: { A: [], AAAA: [] },
  unknown: { A: 'NXDOMAIN', AAAA: 'NXDOMAIN' },
  failing: { A: 'SERVFAIL', AAAA: 'SERVFAIL' },
  refused: { A: 'REFUSED', AAAA: 'REFUSED' },
};

let server: NameServer;
/** Answers nothing at all. */
let silent: NameServer;
let refusing: NameServer;

beforeAll(async () => {
  server = await startNameServer(({ name, type }) =>
    name === '' ? ['192.0.2.1'] : answers[name.split('.')[0] ?? '']?.[type],
  );
  silent = await startNameServer(() => undefined);
  refusing = await startNameServer(() => 'REFUSED');
});
afterAll(() => Promise.all([server.close(), silent.close(), refusing.close()]));

const hostOf = (name: string, { port } = server) => `${name}.p${port}.example.com`;
const lookup = (host: string, timeoutMs = 300) => openResolver({ timeoutMs }).lookup(host);
const questionsAbout = (name: string, { asked } = server) =>
  asked.filter((question) => question.name === hostOf(name)).map(({ type }) => type);

test.each([
  ['both', ['127.0.0.1', '127.0.0.2', '::1']],
  ['first', ['127.0.0.1']],
  ['second', ['2606:4700::1111']],
  ['half', ['127.0.0.1']],
  ['broken', ['::1']],
])('every address of a name is found, as far as it is answered: %s', async (name, expected) => {
  expect((await lookup(hostOf(name))).map(({ address }) => address)).toEqual(expected);
});

test.each([
  ['none', 'ENOTFOUND'],
  ['unknown', 'ENOTFOUND'],
  ['failing', 'ESERVFAIL'],
  ['refused', 'EREFUSED'],
  ['silent', 'ETIMEOUT'],
])('a name without an answer is at fault where the resolver answers for others: %s', async (name, code) => {
  await expect(lookup(hostOf(name))).rejects.toMatchObject({ code });
});

test('a resolver that answers for nothing is at fault itself', async () => {
  await expect(lookup(hostOf('any', silent))).rejects.toThrow(ResolverDown);
  await expect(lookup(hostOf('any', refusing))).rejects.toThrow(ResolverDown);
  // Nobody listens there.
  await expect(lookup('any.p1.example.com')).rejects.toThrow(ResolverDown);
});

test('a name is looked up once for all that wait for it', async () => {
  const resolver = openResolver();
  const before = questionsAbout('both').length;
  await Promise.all(Array.from({ length: 10 }, () => resolver.lookup(hostOf('both'))));
  expect(questionsAbout('both').slice(before).sort()).toEqual(['A', 'AAAA']);
  await resolver.lookup(hostOf('both'));
  expect(questionsAbout('both').slice(before)).toHaveLength(4);
});

test('lookups that nobody answers keep no thread from others, and are given up together', async () => {
  const resolvers: NameResolver[] = [];
  let over = 0;
  const lookups = Array.from({ length: 50 }, (_, index) => {
    const resolver = openResolver({ timeoutMs: 20_000 });
    resolvers.push(resolver);
    return resolver.lookup(hostOf(`silent${index}`)).catch(({ code }) => {
      over += 1;
      return code;
    });
  });
  // Files are read by the threads that `dns.lookup` waits on.
  expect((await readFile(import.meta.filename)).length).toBeGreaterThan(0);
  expect(await lookup(hostOf('first'))).toEqual([{ address: '127.0.0.1', family: 4 }]);
  expect(over).toBe(0);
  const controls = server.asked.filter(({ name }) => name === '').length;
  for (const resolver of resolvers) resolver.close();
  expect(new Set(await Promise.all(lookups))).toEqual(new Set(['ETIMEOUT']));
  expect(server.asked.filter(({ name }) => name === '')).toHaveLength(controls);
});

test('localhost and the names below it need no name server', async () => {
  const loopback = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ];
  const asked = server.asked.length;
  expect(await openResolver().lookup('localhost')).toEqual(loopback);
  expect(await openResolver().lookup('a.localhost.')).toEqual(loopback);
  expect(server.asked).toHaveLength(asked);
});

test.each(['both', 'inside', 'broken'])('an address of either family forbids a host: %s', async (name) => {
  expect(await isForbiddenHost(hostOf(name), { reach: 'public' })).toBe(true);
  const outbound = openOutbound({ reach: 'public' });
  const { failure } = await outbound.send(`http://${hostOf(name)}/`, { method: 'GET', headers: {}, timeoutMs: 5_000 });
  await outbound.close();
  expect(failure).toBe('forbidden_address');
});

test.each(['none', 'unknown', 'failing', 'silent'])(
  'a host without an answer is not forbidden yet: %s',
  async (name) => {
    expect(await isForbiddenHost(hostOf(name), { reach: 'public' })).toBe(false);
  },
);

test('a failed look-up is blamed on the name, on its servers, or on our side', async () => {
  await using receiver = await startReceiver();
  const { port } = new URL(receiver.url);
  const outbound = openOutbound({ reach: 'local' });
  const send = (host: string) =>
    outbound.send(`http://${host}:${port}/`, {
      method: 'POST',
      headers: {},
      body: Buffer.from('{}'),
      timeoutMs: 5_000,
    });
  const [found, unknown, unanswered, down] = await Promise.all([
    send(hostOf('first')),
    send(hostOf('unknown')),
    send(hostOf('silent')),
    send(hostOf('any', silent)),
  ]);
  await outbound.close();
  expect(found).toMatchObject({ status: 200, failure: null });
  expect(unknown).toMatchObject({ failure: 'dns', error: 'the name of the host is not known' });
  expect(unanswered).toMatchObject({
    failure: 'silent_dns',
    error: 'the name servers of the host did not answer in time',
  });
  expect(down).toMatchObject({ failure: 'resolver', error: 'the host could not be looked up on our side' });
});

test('a closed way out looks nothing up any more', async () => {
  const outbound = openOutbound({ reach: 'local' });
  const answer = outbound.send(`http://${hostOf('abandoned')}/`, { method: 'GET', headers: {}, timeoutMs: 5_000 });
  await vi.waitUntil(() => questionsAbout('abandoned').length === 2);
  await outbound.close();
  expect(await answer).toMatchObject({ failure: 'reset' });
  // Long enough for a second try, had it not been given up.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(questionsAbout('abandoned')).toHaveLength(2);
});
