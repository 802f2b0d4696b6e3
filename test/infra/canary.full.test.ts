import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { surroundings } from '#test/cli/process.ts';
import { type Fate, startBetween } from '#test/client/between.ts';
import { everyItem } from '#test/client.ts';
import { place } from '#test/place.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

const root = join(import.meta.dirname, '../..');

let workspace: TestWorkspace;
beforeEach(async () => {
  workspace = await newWorkspace();
});

function start(args: readonly string[], key = workspace.testKey, more: Record<string, string> = {}) {
  const env = surroundings({ key, env: { DATA_DIR: '/nowhere', ...more } });
  const child = spawn(process.execPath, ['infra/canary.ts', ...args], { cwd: root, env });
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]).then(
    ([stdout, stderr, [code]]) => ({ stdout, stderr, code: code as number | null }),
  );
  return { child, ended };
}

const walked = (args = ['--url', place('baseUrl')], ...more: [key?: string, env?: Record<string, string>]) =>
  start(args, ...more).ended;

/** The outcomes of a run, by step. */
const outcomes = (stdout: string) =>
  new Map(
    [...stdout.matchAll(/^(done|failed|left out) {2,}(.+?) +\d+ ms(?: {2}(.*))?$/gm)].map(([, outcome, name, why]) => [
      String(name),
      why === undefined ? String(outcome) : `${outcome}: ${why}`,
    ]),
  );

/** What it made and nobody can get rid of is closed; nothing else is there. */
async function expectCleanedUp() {
  const [contacts, tags, deals, tasks] = await Promise.all([
    everyItem(workspace.test, '/v1/contacts'),
    workspace.test.get('/v1/tags'),
    everyItem(workspace.test, '/v1/deals'),
    everyItem(workspace.test, '/v1/tasks'),
  ]);
  expect([contacts, tags.body.items]).toEqual([[], []]);
  expect(deals.filter(({ closedAt, contactId }) => closedAt === null || contactId !== null)).toEqual([]);
  expect(tasks.filter(({ status }) => status !== 'Done')).toEqual([]);
  return { deals: deals.length, tasks: tasks.length };
}

const connectAccount = async () => {
  const { status } = await workspace.test.post('/v1/telegram/accounts', {
    kind: 'bot',
    name: 'Bot',
    botToken: 'test_canary',
  });
  expect(status).toBe(201);
};

test('every step is done on a healthy system, with its milliseconds, and nothing is left', async () => {
  await connectAccount();
  const { stdout, stderr, code } = await walked();
  const steps = outcomes(stdout);
  expect([stderr, code]).toEqual(['', 0]);
  expect(steps.size).toBeGreaterThanOrEqual(18);
  expect(new Set(steps.values())).toEqual(new Set(['done']));
  expect(steps.keys()).toContain('queue and cancel a message');
  expect(`${stdout}${stderr}`).not.toContain(workspace.testKey);
  expect(await expectCleanedUp()).toEqual({ deals: 1, tasks: 1 });
  const jobs = await everyItem(workspace.test, '/v1/jobs');
  expect(jobs.filter(({ status }) => status === 'queued')).toEqual([]);
});

/** The fates of calls by what they are; others pass. */
async function startBroken(fates: Record<string, Fate>) {
  const server = await startBetween();
  server.each(({ method, path }) => fates[`${method} ${path.replace(/\?.*/, '')}`] ?? 'passes');
  return server;
}

test('a failing step is shown with its request id, dependent steps are skipped and others run', async () => {
  const answer = {
    status: 500,
    headers: { 'x-request-id': 'of-the-failure' },
    body: { error: 'internal_error', message: 'Something went wrong', details: null },
  };
  await using broken = await startBroken({ 'POST /v1/deals': answer });
  const { stdout, stderr, code } = await walked(['--url', broken.url]);
  const steps = outcomes(stdout);
  expect(code).toBe(1);
  expect(steps.get('create and move a deal')).toBe(
    'failed: 500 internal_error: Something went wrong (request of-the-failure)',
  );
  expect(steps.get('create and finish a task')).toBe('left out: there is no deal');
  expect(steps.get('queue and cancel a message')).toBe('left out: the sandbox has no active Telegram account');
  // The deal that is refused for its title, too, is answered by the broken step.
  expect(steps.get('400 that names the field')).toMatch(/^failed: 500/);
  expect(stderr).toBe('2 failed\n');
  expect(steps.get('404 for what is not there')).toBe('done');
  expect(await expectCleanedUp()).toEqual({ deals: 0, tasks: 0 });
});

test('a list that does not have what was just made is a failure, with the request id of its answer', async () => {
  const headers = { 'x-request-id': 'of-the-list' };
  await using broken = await startBroken({
    'GET /v1/contacts': { status: 200, headers, body: { items: [], nextCursor: null, hasMore: false } },
  });
  const { stdout, code } = await walked(['--url', broken.url]);
  expect(code).toBe(1);
  expect(outcomes(stdout).get('search contacts')).toBe(
    'failed: the list of a part of its name does not have the contact that was just made (request of-the-list)',
  );
});

test('a resource whose creation lost its answer is cleaned up', async () => {
  await using broken = await startBroken({ 'POST /v1/contacts': 'is lost' });
  const { stdout, code } = await walked(['--url', broken.url]);
  expect(code).toBe(1);
  expect(outcomes(stdout).get('create a contact')).toMatch(/^failed: .*does not answer/);
  const { body } = await workspace.test.get('/v1/events', { eventKind: 'contact.created' });
  expect(body.items).toHaveLength(1);
  await expectCleanedUp();
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends it after the step under way, and it cleans up', async (signal) => {
  const { child, ended } = start(['--url', place('baseUrl')]);
  child.stdout.on('data', (chunk) => {
    if (String(chunk).includes('create a contact')) child.kill(signal);
  });
  const { stdout, stderr, code } = await ended;
  expect(code).toBe(1);
  expect(stderr).toContain('interrupted\n');
  expect(outcomes(stdout).get('create a contact')).toBe('done');
  expect(outcomes(stdout).get('list the tools of MCP')).toBeUndefined();
  expect(outcomes(stdout).get('clean up: erase contacts')).toBe('done');
  await expectCleanedUp();
});

test('a live key, no key and an address that does not answer are said', async () => {
  const url = ['--url', place('baseUrl')];
  expect(await walked(url, workspace.liveKey)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/test key/),
  });
  expect(await walked(url, '')).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/no API key/) });
  const dead = await walked(['--url', 'http://127.0.0.1:1025']);
  expect(dead.code).toBe(1);
  expect(outcomes(dead.stdout).get('create a contact')).toMatch(/does not answer: ECONNREFUSED/);
  expect(dead.stdout).toContain('clean up: erase contacts');
});

/** CloudFormation, as far as a stack has outputs. */
async function startCloudFormation(outputs: Record<string, string>) {
  const members = Object.entries(outputs).map(
    ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  const stack = `<member><StackName>CrmApi</StackName><Outputs>${members.join('')}</Outputs></member>`;
  const server = createServer((_, answer) =>
    answer.end(
      `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks>${stack}</Stacks></DescribeStacksResult></DescribeStacksResponse>`,
    ),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('the key comes from a file, too, and the address from the outputs of a stack', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'crm-canary-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'key');
  await writeFile(file, `${workspace.testKey}\n`);
  const cloudFormation = await startCloudFormation({ ApiUrl: place('baseUrl') });
  const env = { AWS_REGION: 'eu-west-1', AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation };
  const { code, stdout } = await walked(['--stack', 'CrmApi', '--key-file', file], '', env);
  expect([code, stdout.split(' as ')[0]]).toEqual([0, place('baseUrl')]);
});
