import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { queryObjects } from 'node:v8';
import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { S3Client } from '@aws-sdk/client-s3';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listFunctions, loadRoutes, loadWorkers } from '#infra/functions.ts';
import { localSettings, settings } from '#lib/env.ts';

const clients = [BedrockRuntimeClient, S3Client, SESv2Client];
// Prototypes of subclasses count too, so only a rise means a client.
const countClients = () => clients.map((client) => queryObjects(client, { format: 'count' }));

test('importing every function reads none of its environment variables and builds no client', async () => {
  const environment = process.env;
  const clientsBefore = countClients();
  const read = new Set<string>();
  process.env = new Proxy(environment, {
    get(target, name: string) {
      read.add(name);
      return target[name];
    },
  });
  try {
    await Promise.all([loadRoutes(), loadWorkers()]);
  } finally {
    process.env = environment;
  }
  const ofResources = /^(QUEUE_|SCHEDULE_|TABLE_NAME|KMS_KEY_ID|MAIL_|FILES_|AWS_(ACCESS|SECRET|REGION|ENDPOINT))/;
  const isOurs = (name: string) => name in settings || name in localSettings || ofResources.test(name);
  expect([...read].filter(isOurs)).toEqual([]);
  expect(countClients()).toEqual(clientsBefore);
});

test('every file under functions/ is an endpoint or a worker', async () => {
  const loaded = [...(await loadRoutes()), ...(await loadWorkers())].map(({ name }) => name);
  expect(loaded.sort()).toEqual(listFunctions().map(({ name }) => name));
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

test('two functions for one method and path are refused, whatever their path variables are called', async () => {
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
