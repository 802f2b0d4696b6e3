import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { crm } from '#test/cli/process.ts';
import { startBetween } from '#test/client/between.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const call = (args: string[], given: Parameters<typeof crm>[1] = {}) =>
  crm(['api', ...args], { key: workspace.liveKey, ...given });

async function answerOf(...given: Parameters<typeof call>) {
  const { code, stdout, stderr } = await call(...given);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

test('calls have a method, a query, a body and headers', async () => {
  const made = await answerOf(['post', '/v1/deals', '-f', 'title=12 seats', '-f', 'value=9800', '--json']);
  expect(made).toMatchObject({ id: 1, title: '12 seats', value: 9800 });
  expect(await answerOf(['PATCH', '/v1/deals/1', '-d', '{"title": "Twelve seats"}'])).toMatchObject({ value: 9800 });
  const metadata = ['PUT', '/v1/deals/1/metadata', '-f', 'metadata.ext="7"', '-f', 'metadata.by=crm'];
  expect(await answerOf(metadata)).toEqual({ metadata: { ext: '7', by: 'crm' } });
  expect((await answerOf(['/v1/deals?limit=5', '-f', 'metadata.ext=7'])).items).toMatchObject([{ id: 1 }]);
  expect((await answerOf(['/v1/deals', '-f', 'metadata.ext=8'])).items).toEqual([]);
  const stale = await call(['PATCH', '/v1/deals/1', '-f', 'value=1', '-H', 'If-Match: "0"']);
  expect([stale.code, stale.stderr]).toEqual([1, expect.stringMatching(/^412 conflict: /)]);
});

test('a body comes from a file or the standard input, without its fields', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'crm-api-'));
  const file = join(folder, 'task.json');
  await writeFile(file, '{"title": "from a file"}');
  expect(await answerOf(['/v1/tasks', '-d', `@${file}`])).toMatchObject({ title: 'from a file' });
  await rm(folder, { recursive: true });
  expect(await answerOf(['/v1/tasks', '-d', '-'], { input: '{"title": "typed"}' })).toMatchObject({ title: 'typed' });
});

test('the answer is indented or one line of JSON, with status and headers on request', async () => {
  const plain = await call(['/v1/me', '-i']);
  expect(plain.stdout).toMatch(/^\{\n {2}"id": /);
  expect(plain.stderr).toMatch(/^200\n(?:\S+: .*\n)*x-request-id: \S+\n/);
  expect((await call(['/v1/me', '--json'])).stdout.trim().split('\n')).toHaveLength(1);
});

test('control characters of others are shown as escapes, and are the same JSON', async () => {
  const body = { name: 'Eve \u001b]0;owned\u0007 \u009b2J \u202e' };
  await using between = await startBetween(
    { status: 200, body },
    { status: 404, body: { ...body, error: 'x', message: body.name, details: null } },
  );
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about.
  const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;
  const { stdout } = await call(['/v1/contacts/1'], { url: between.url });
  expect(stdout).not.toMatch(controls);
  expect(JSON.parse(stdout)).toEqual(body);
  const { code, stderr } = await call(['/v1/contacts/1'], { url: between.url });
  expect([code, stderr]).toEqual([1, expect.stringContaining('Eve \\u001b]0;owned')]);
  expect(stderr).not.toMatch(controls);
});

test('a list is read to its end, the feed too', async () => {
  const { live, liveKey: key } = await newWorkspace();
  const items = Array.from({ length: 7 }, (_, index) => ({ op: 'create', name: `Of seven ${index}` }));
  await live.post('/v1/contacts/batch', { items });
  const pages = async (path: string) => {
    const { code, stdout } = await call([path, '-f', 'limit=3', '--paginate'], { key });
    expect(code).toBe(0);
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  expect((await pages('/v1/contacts')).map(({ id }) => id)).toEqual([7, 6, 5, 4, 3, 2, 1]);
  const events = await pages('/v1/events');
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
  expect(events.length).toBeGreaterThan(7);
});

test('a write whose answer is lost is done once', async () => {
  await using between = await startBetween('is lost');
  const made = await answerOf(['POST', '/v1/tasks', '-f', 'title=once'], { url: between.url });
  expect(between.calls).toHaveLength(2);
  expect((await workspace.live.get('/v1/tasks', { q: 'once' })).body.items).toMatchObject([{ id: made.id }]);
});

describe('a refused call', () => {
  test.each<[string, string[], number, RegExp]>([
    ['nothing to call', [], 2, /^the path \(\/v1\/…\) is missing\n$/],
    ['an unknown method', ['FETCH', '/v1/me'], 2, /^FETCH is not a method; use one of GET, POST/],
    ['another host', ['//example.com/v1/me'], 2, /is not a path of the API/],
    ['another address', ['https://example.com/v1/me'], 2, /is not a path of the API/],
    ['a field that is none', ['/v1/contacts', '-f', 'q'], 2, /^"q" is not key=value\n$/],
    ['a header that is none', ['/v1/me', '-H', 'x'], 2, /^"x" is not a header/],
    ['a body that is not JSON', ['/v1/tasks', '-d', '{'], 2, /^the body is not JSON: /],
    ['a file that is not there', ['/v1/tasks', '-d', '@/nowhere/b'], 2, /no such file/],
    ['pages of a write', ['POST', '/v1/tasks', '--paginate'], 2, /^--paginate works only with GET\n$/],
    ['pages of what is no list', ['/v1/me', '--paginate'], 2, /^\/v1\/me is not a list: leave out --paginate\n$/],
    ['an unknown path', ['/v1/nothing'], 1, /^404 not_found: .*; request \S+\n$/],
    ['a body that the API refuses', ['POST', '/v1/tasks', '-f', 'priority=7'], 1, /^400 bad_request: .*title: /],
  ])('%s', async (_, args, expected, said) => {
    const { code, stdout, stderr } = await call(args);
    expect([code, stdout, stderr]).toEqual([expected, '', expect.stringMatching(said)]);
  });
});
