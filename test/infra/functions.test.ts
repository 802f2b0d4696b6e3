import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadRoutes } from '#infra/functions.ts';
import { localSettings, settings } from '#lib/core/env.ts';

const root = join(import.meta.dirname, '../..');

// In a process that has loaded none of them. Prototypes of subclasses count as clients too, so only a rise means one.
const importing = `
  import { queryObjects } from 'node:v8';
  import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
  import { S3Client } from '@aws-sdk/client-s3';
  import { SESv2Client } from '@aws-sdk/client-sesv2';
  import { loadRoutes, loadWorkers } from '#infra/functions.ts';
  const count = () =>
    [BedrockRuntimeClient, S3Client, SESv2Client].map((client) => queryObjects(client, { format: 'count' }));
  const before = count();
  const read = new Set();
  process.env = new Proxy(process.env, { get: (target, name) => (read.add(name), target[name]) });
  await Promise.all([loadRoutes(), loadWorkers()]);
  process.stdout.write(JSON.stringify({ read: [...read], before, after: count() }));`;

test('importing every function reads none of its environment variables and builds no client', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', importing], {
    cwd: root,
  });
  const { read, before, after } = JSON.parse(stdout) as { read: string[]; before: number[]; after: number[] };
  const ofResources = /^(QUEUE_|SCHEDULE_|TABLE_NAME|KMS_KEY_ID|MAIL_|FILES_|AWS_(ACCESS|SECRET|REGION|ENDPOINT))/;
  const isOurs = (name: string) => name in settings || name in localSettings || ofResources.test(name);
  expect(read.length).toBeGreaterThan(0);
  expect(read.filter(isOurs)).toEqual([]);
  expect(after).toEqual(before);
});

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-functions-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function given(project: string, files: Record<string, string>): Promise<string> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, project, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  return join(folder, project);
}

const routeFile = (method: string, path: string) =>
  `export const handler = Object.assign(() => {}, { route: { method: '${method}', path: '${path}' } });`;

test('routes are sorted by name and carry their domain', async () => {
  const root = await given('sorted', {
    'tasks/get.ts': routeFile('GET', '/v1/tasks/{id}'),
    'contacts/list.ts': routeFile('GET', '/v1/contacts'),
  });
  const routes = await loadRoutes(root);
  expect(routes.map(({ name, domain }) => ({ name, domain }))).toEqual([
    { name: 'contacts-list', domain: 'contacts' },
    { name: 'tasks-get', domain: 'tasks' },
  ]);
});

test('two functions for one method and path are refused with any names of path variables', async () => {
  const root = await given('twice', {
    'contacts/get.ts': routeFile('GET', '/v1/contacts/{id}'),
    'contacts/read.ts': routeFile('GET', '/v1/contacts/{contactId}'),
  });
  await expect(loadRoutes(root)).rejects.toThrow(/both answer GET/);
});

test('a file without a handler is refused', async () => {
  const root = await given('empty', { 'contacts/get.ts': 'export const other = 1;' });
  await expect(loadRoutes(root)).rejects.toThrow(/exports no function named handler/);
});
