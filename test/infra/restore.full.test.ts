import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { copyFileSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { expect, onTestFinished, test, vi } from 'vitest';
import { changeContact } from '#lib/contacts/change.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { putRows, type Row } from '#lib/table/rows.ts';
import { rowsOfWorkspace } from '#lib/table/scan.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { createWorkspace } from '#lib/workspaces/create.ts';
import { api, eventually, everyItem } from '#test/client.ts';
import { dyingAfter } from '#test/crash.ts';
import { place } from '#test/place.ts';
import { readEnvironment, startSystem } from '#test/system.ts';
import { startReceiver } from '#test/webhooks/receiver.ts';
import { newWorkspace } from '#test/workspace.ts';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'crm-restore-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The operator's commands under a heading of docs/restore.md, in their order. */
function commandsOf(title: string): string[][] {
  const [, part = ''] = readFileSync(join(root, 'docs/restore.md'), 'utf8').split(`\n## ${title}\n`);
  const section = part.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^ *npm run -s admin -- (\S+) (\S+) '(.*?)'(.*)$/gm)].map(
    ([, noun = '', verb = '', json = '', options = '']) => [noun, verb, json, ...options.trim().split(' ')],
  );
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** The modules of a process that runs for another system: clients keep the addresses that they began with. */
async function startOver(dataDir: string) {
  Object.assign(process.env, await readEnvironment(dataDir));
  vi.resetModules();
  const [workspace, rows, scan] = await Promise.all([
    import('#test/workspace.ts'),
    import('#lib/table/rows.ts'),
    import('#lib/table/scan.ts'),
  ]);
  return { newWorkspace: workspace.newWorkspace, putRows: rows.putRows, scanned: scan.scanned };
}

/** All rows in a table of their own, as a restore from a point in time makes one: without a stream. */
async function restoredTable(rows: AsyncIterable<Row>, before = async () => {}): Promise<string> {
  const dynamodb = new DynamoDB({});
  const TableName = `crm-restored-${randomUUID()}`;
  await dynamodb.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const })),
  });
  onTestFinished(async () => void (await dynamodb.deleteTable({ TableName })));
  const kept = await all(rows);
  vi.stubEnv('TABLE_NAME', TableName);
  try {
    await putRows(kept);
    await before();
  } finally {
    vi.unstubAllEnvs();
  }
  return TableName;
}

test('a workspace is taken out of a restored table and in again under a new id, by the steps of the page', async () => {
  const { id, live } = await newWorkspace();
  const { body: ann } = await live.post('/v1/contacts', { name: 'Ann', email: 'ann@example.com' });
  await live.post(`/v1/contacts/${ann.id}/activities`, { text: 'as it was' });
  const { body: deal } = await live.post('/v1/deals', { title: 'Big', value: 5, contactId: ann.id });
  await eventually(async () => (await live.get('/v1/events')).body.items.length >= 2, 'the events');
  // In that second somebody was renaming her: the event is not published, and her deal not told.
  const tenant: Tenant = { workspaceId: id, env: 'live' };
  const table = await restoredTable(rowsOfWorkspace(id), async () => {
    const rename = (tx: UnitOfWork) => changeContact(tx, ann.id, { name: 'Anna' });
    expect(await dyingAfter(1, () => transact(tenant, operator, rename))).toBe(false);
  });

  await live.patch(`/v1/contacts/${ann.id}`, { name: 'Spoiled' });
  await live.post(`/v1/deals/${deal.id}/stage`, { stage: 'lost' });
  await live.post('/v1/contacts', { name: 'Too late' });

  const { id: newId } = await createWorkspace({ name: 'Restored', currency: 'EUR' });
  const file = join(await temporary(), 'restored.ndjson');
  const commands = commandsOf('Restore one workspace');
  expect(commands.map(([noun, verb]) => `${noun} ${verb}`)).toEqual([
    'workspace finish',
    'workspace export',
    'workspace import',
    'key create',
    'key create',
  ]);
  const answers = [];
  for (const [noun = '', verb = '', json = '', ...options] of commands) {
    const { id: which, workspaceId, ...given } = JSON.parse(json);
    const input = {
      ...given,
      ...(which && { id: which === 1 ? id : newId }),
      ...(workspaceId && { workspaceId: newId }),
      ...(given.file && { file }),
    };
    const isOther = options.includes('--table');
    const args = ['infra/admin.ts', noun, verb, JSON.stringify(input), ...(isOther ? ['--table', table] : [])];
    const env = { ...process.env, DATA_DIR: place('dataDir') };
    answers.push(JSON.parse((await run(process.execPath, args, { cwd: root, env })).stdout));
  }
  const [finished, exported, imported, { key }] = answers;
  expect(finished).toEqual({ finished: { events: expect.any(Number), sagas: 1, deadLetters: 0 } });
  expect(finished.finished.events).toBeGreaterThan(0);
  expect(imported).toEqual(exported);
  const restored = api(key);
  expect((await everyItem(restored, '/v1/contacts')).map(({ name }) => name)).toEqual(['Anna']);
  expect((await restored.get(`/v1/deals/${deal.id}`)).body).toMatchObject({ stage: 'Lead', contactName: 'Anna' });
  const { items } = (await restored.get('/v1/events', { eventKind: 'contact.updated' })).body;
  expect(items).toMatchObject([{ event: 'contact.updated', data: { contact_id: String(ann.id) } }]);
  expect((await restored.get(`/v1/contacts/${ann.id}/activities`)).body.items[1]).toMatchObject({ text: 'as it was' });
  // The spoiled one is there to be looked at.
  expect((await live.get(`/v1/contacts/${ann.id}`)).body.name).toBe('Spoiled');
});

test('a table that replaces another works with its keys, secrets and due rows', async () => {
  const [before, after] = [join(await temporary(), 'before'), join(await temporary(), 'after')];
  await using receiver = await startReceiver();
  const first = await startSystem(before);
  const origin = await startOver(before);
  const { liveKey, testKey } = await origin.newWorkspace();
  const live = api(liveKey, { baseUrl: first.baseUrl });
  const { body: hook } = await live.post('/v1/webhooks', { url: receiver.url, events: ['contact.created'] });
  await live.post('/v1/contacts', { name: 'Ann' });
  await eventually(async () => receiver.received.length === 1, 'the delivery');
  const sandbox = api(testKey, { baseUrl: first.baseUrl });
  const bot = { kind: 'bot', name: 'Bot', botToken: 'test_restore' };
  const { body: account } = await sandbox.post('/v1/telegram/accounts', bot);
  const runAt = new Date(Date.now() + 3_000).toISOString();
  const message = { accountId: account.id, telegramUserId: 5, text: 'Due', runAt };
  const { status, body: due } = await sandbox.post('/v1/telegram/messages', message);
  expect([status, due.status]).toEqual([202, 'queued']);
  const rows = await all(origin.scanned({ ConsistentRead: true }));
  expect(await first.stop()).toBe(0);

  // The key of KMS is the stack's and stays; the table is another.
  await mkdir(after, { mode: 0o700 });
  copyFileSync(join(before, 'kms-key.json'), join(after, 'kms-key.json'));
  const second = await startSystem(after);
  onTestFinished(async () => void (await second.stop()));
  await (await startOver(after)).putRows(rows);
  const again = api(liveKey, { baseUrl: second.baseUrl });
  expect((await everyItem(again, '/v1/contacts')).map(({ name }) => name)).toEqual(['Ann']);
  expect((await again.post('/v1/contacts', { name: 'Ben' })).body.id).toBe(2);
  const [, delivered] = await eventually(
    async () => receiver.received.length === 2 && receiver.received,
    'a delivery of the second',
  );
  expect(delivered?.body).toMatchObject({ event: 'contact.created', data: { contact_id: '2' } });
  expect(delivered?.body.sequence).toBeGreaterThan(receiver.received[0]?.body.sequence);
  expect((await again.get(`/v1/webhooks/${hook.id}`)).body.consecutiveFailures).toBe(0);
  const left = api(testKey, { baseUrl: second.baseUrl });
  await eventually(
    async () => (await left.get(`/v1/telegram/messages/${due.id}`)).body.status === 'sent',
    'what was due to leave',
    90_000,
  );
});
