import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faults } from '#lib/webhooks/settle.ts';
import { api, type Client, eventually, everyItem } from '#test/client.ts';
import { readEnvironment, type System, startSystem } from '#test/system.ts';
import { startReceiver } from '#test/webhooks/receiver.ts';
import { newWorkspace } from '#test/workspace.ts';

/** 75 hours and 35 minutes become 5.5 seconds. */
const settings = { WEBHOOK_RETRY_SCALE: '0.00002' };

let dataDir: string;
let system: System;
let key: string;
let client: Client;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'crm-webhooks-'));
  await start();
  Object.assign(process.env, await readEnvironment(dataDir));
  key = (await newWorkspace()).liveKey;
  client = api(key, { baseUrl: system.baseUrl });
});

afterAll(async () => {
  await system.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function start(): Promise<void> {
  system = await startSystem(dataDir, settings);
  client = api(key, { baseUrl: system.baseUrl });
}

const register = async (url: string): Promise<string> => {
  const { status, body } = await client.post('/v1/webhooks', { url, eventKinds: ['contact.created'] });
  expect(status).toBe(201);
  return `/v1/webhooks/${body.id}`;
};

test('a delivery whose sender dies after the answer is repeated under its id and succeeds once', async () => {
  const request = join(dataDir, 'kill', 'CrmApi-WorkersDeliver');
  await using receiver = await startReceiver(async (_, response, index) => {
    if (index === 1) {
      await writeFile(request, '');
      while (existsSync(request)) await sleep(20);
    }
    response.end('ok');
  });
  const path = await register(`${receiver.url}/twice`);
  await client.post('/v1/contacts', { name: 'Ada' });
  await eventually(async () => receiver.received.length === 2, 'the second attempt', 90_000);
  const delivery = await eventually(
    async () => (await client.get(`${path}/deliveries`, { status: 'succeeded' })).body.items[0],
    'the success',
    60_000,
  );
  const [first, second] = receiver.received;
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  expect(second?.text).toBe(first?.text);
  expect(delivery).toMatchObject({ deliveryId: first?.headers['webhook-id'], attemptCount: 2 });
  const { attempts } = (await client.get(`${path}/deliveries/${delivery.id}`)).body;
  expect(attempts.map(({ error }: { error: string | null }) => error)).toEqual([faults.interrupted, null]);
  expect((await client.get(`${path}/deliveries`)).body.items).toHaveLength(1);
  await client.delete(path);
});

test('after a kill -9 in the middle of a backlog everything arrives, and nothing is lost', async () => {
  await using receiver = await startReceiver((_, response) => void setTimeout(() => response.end(), 200));
  const path = await register(`${receiver.url}/again`);
  const items = Array.from({ length: 60 }, (_, index) => ({ op: 'create', name: `Contact ${index}` }));
  await client.post('/v1/contacts/batch', { items }, 200);
  await eventually(async () => receiver.received.length >= 15, 'the first deliveries', 60_000);
  system.process.kill('SIGKILL');
  await new Promise((resolve) => system.process.once('exit', resolve));
  const before = receiver.received.length;
  expect(before).toBeLessThan(60);
  await start();
  await eventually(
    async () => new Set(receiver.received.map(({ body }) => body.data.name)).size === 60,
    'every event',
    120_000,
  );
  await eventually(
    async () => (await everyItem(client, `${path}/deliveries`, { status: 'succeeded', limit: 100 })).length === 60,
    'every delivery settled',
    60_000,
  );
  // Only what was under way at the kill is sent again, under the same id.
  expect(receiver.received.length).toBeLessThanOrEqual(60 + 20);
  expect(new Set(receiver.received.map(({ headers }) => headers['x-svc-delivery'])).size).toBe(60);
});
