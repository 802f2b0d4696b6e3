import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { crm } from '#test/cli/process.ts';
import { place } from '#test/place.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let folder: string;
beforeAll(async () => {
  workspace = await newWorkspace();
  folder = await mkdtemp(join(tmpdir(), 'crm-cli-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const keyIdOf = async (...given: Parameters<typeof crm>) => {
  const { code, stdout, stderr } = await crm(...given);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout).apiKey.keyId as string;
};

test('whoami says whose key it is, as lines and as JSON', async () => {
  const { code, stdout } = await crm(['whoami'], { key: workspace.testKey });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^workspace .*\nkey .* \(test\)\nscopes .*\napi .*\n$/)]);
  const { stdout: json } = await crm(['whoami', '--json'], { key: workspace.testKey });
  expect(JSON.parse(json)).toMatchObject({
    env: 'test',
    url: place('baseUrl'),
    apiKey: { scopes: expect.any(Array) },
  });
  expect(json.trim().split('\n')).toHaveLength(1);
});

describe('the key', () => {
  test('comes from a file, from the environment, or from the demo that runs from here', async () => {
    const { liveKey, testKey } = workspace;
    const file = join(folder, 'key');
    await writeFile(file, `${liveKey}\n`);
    expect(liveKey).toContain(await keyIdOf(['whoami', '--json', '--key-file', file], { key: testKey }));
    expect(liveKey).toContain(await keyIdOf(['whoami', '--json', '--key-file', '-'], { input: liveKey }));
    expect(testKey).toContain(await keyIdOf(['whoami', '--json'], { key: testKey }));
    await writeFile(join(folder, 'demo.json'), JSON.stringify({ baseUrl: place('baseUrl'), liveKey, testKey }));
    const demo = { env: { DATA_DIR: folder } };
    expect(testKey).toContain(await keyIdOf(['whoami', '--json'], demo));
    expect(testKey).toContain(await keyIdOf(['whoami', '--json'], { ...demo, url: '' }));
    expect(liveKey).toContain(await keyIdOf(['whoami', '--json', '--live'], demo));
  });

  test.each<[string, string[], string | undefined, RegExp]>([
    ['is not there', [], undefined, /^no API key: set CRM_API_KEY or give --key-file/],
    ['is none', [], 'sk_test_other', /^this is not an API key/],
    ['has a line break in it', [], 'csk_test_a\nb', /^this is not an API key/],
    ['is in a file that is not there', ['--key-file', '/nowhere/key'], undefined, /no such file.*\/nowhere\/key/],
  ])('is not understood and not shown when it %s', async (_, args, key, said) => {
    const { code, stdout, stderr } = await crm(['whoami', ...args], {
      key,
      cwd: folder,
      env: { DATA_DIR: '/nowhere' },
    });
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(said)]);
    if (key !== undefined) expect(stderr).not.toContain(key.slice(4));
  });

  test('is sent to no other address when it is the demo’s', async () => {
    const { liveKey, testKey } = workspace;
    await writeFile(join(folder, 'demo.json'), JSON.stringify({ baseUrl: 'http://127.0.0.1:1', liveKey, testKey }));
    const { code, stderr } = await crm(['whoami'], { env: { DATA_DIR: folder } });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/demo\.json is for http:\/\/127\.0\.0\.1:1\)\n$/)]);
  });

  test('is refused for live calls when it is a test key', async () => {
    const { code, stderr } = await crm(['whoami', '--live'], { key: workspace.testKey });
    expect([code, stderr]).toEqual([2, '--live needs a live key, and this is a test key\n']);
  });

  test('ends the command with the API’s words when it is refused, also as JSON', async () => {
    const key = `csk_test_${'a'.repeat(44)}`;
    const { code, stdout, stderr } = await crm(['whoami'], { key });
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(/^401 unauthorized: .*; request \S+\n$/)]);
    const asJson = await crm(['whoami', '--json'], { key });
    expect(JSON.parse(asJson.stderr)).toMatchObject({
      error: 'unauthorized',
      status: 401,
      requestId: expect.any(String),
    });
  });
});

describe('an unknown argument', () => {
  test.each<[string, string[], RegExp]>([
    ['an unknown verb', ['lisen'], /^there is no verb "lisen"; there are: .*listen/],
    ['an unknown option', ['whoami', '--jsno'], /^Unknown option '--jsno'; crm whoami --help shows the options\n$/],
    ['an option without its value', ['whoami', '--key-file'], /^Option '--key-file <value>' argument missing/],
    ['something too much', ['whoami', 'me'], /^"me" is an unexpected argument\n$/],
    ['an address that is none', ['whoami', '--url', 'ftp://x'], /^ftp:\/\/x is not the URL of an API/],
  ])('%s', async (_, args, said) => {
    const { code, stdout, stderr } = await crm(args, { key: workspace.testKey });
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(said)]);
  });

  test('nothing at all shows the verbs', async () => {
    const { code, stdout } = await crm([]);
    expect([code, stdout]).toEqual([2, expect.stringContaining('listen')]);
  });
});

test('every verb has its own help', async () => {
  const { code, stdout } = await crm(['--help']);
  expect(code).toBe(0);
  const names = [...stdout.matchAll(/^ {2}(\S+(?: \S+)?) {2,}\S/gm)].map(([, name]) => String(name));
  const source = await readFile('cli/verbs.ts', 'utf8');
  expect(names).toEqual([...source.matchAll(/^ {2}\['(.+)', \w+\],$/gm)].map(([, name]) => name));
  for (const name of names) {
    const help = await crm([...name.split(' '), '--help']);
    expect([help.code, help.stdout]).toEqual([0, expect.stringContaining(`usage: crm ${name}`)]);
    expect((await crm(['help', ...name.split(' ')])).stdout).toBe(help.stdout);
  }
});

test('a word that several verbs begin with has the help of these', async () => {
  const asked = await crm(['events', '--help']);
  expect([asked.code, asked.stdout]).toEqual([0, expect.stringMatching(/events tail[\s\S]+events resend/)]);
  expect(asked.stdout).not.toContain('listen');
  expect((await crm(['help', 'events'])).stdout).toBe(asked.stdout);
  expect((await crm(['events'])).code).toBe(2);
});

test('an API that is away is named, and that is a failure', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  const url = `http://127.0.0.1:${port}`;
  const { code, stderr } = await crm(['whoami', '--url', url], { key: workspace.testKey });
  expect([code, stderr]).toEqual([1, `${url} does not answer: ECONNREFUSED\n`]);
});
