import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectAccount } from '#lib/accounts/change.ts';
import { dayMs, shifted } from '#lib/clock.ts';
import { mintKey } from '#lib/keys/store.ts';
import { scopes } from '#lib/scopes.ts';
import { documentClient } from '#lib/table/client.ts';
import { transact } from '#lib/table/transaction.ts';
import { operator } from '#lib/tenant.ts';
import { exportWorkspace } from '#lib/workspaces/export.ts';
import { importWorkspace } from '#lib/workspaces/import.ts';
import { createWorkspace } from '#lib/workspaces/store.ts';
import { api, type Client, eventually } from '#test/client.ts';
import { newAccount } from '#test/telegram/line.ts';
import { startReceiver } from '#test/webhooks/receiver.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let folder: string;
let file: string;
let origin: TestWorkspace;
let jobId: number;
let counts: Record<string, number>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-archive-'));
  file = join(folder, 'workspace.ndjson');
  origin = await newWorkspace();
  const { live, test: sandbox } = origin;
  await using receiver = await startReceiver();
  const { body: hook } = await live.post('/v1/webhooks', { url: receiver.url, eventKinds: ['contact.created'] });
  const account = await newAccount({ workspaceId: origin.id, env: 'live' });
  const { body: ann } = await live.post('/v1/contacts', {
    name: 'Ann',
    email: 'ann@example.com',
    platform: 'telegram',
  });
  await live.post(`/v1/contacts/${ann.id}/tags`, { tagName: 'lead' });
  await live.post(`/v1/contacts/${ann.id}/activities`, { text: 'a note' });
  await live.post('/v1/deals', { title: 'Big', value: 5, contactId: ann.id });
  await live.post('/v1/tasks', { title: 'Call', contactId: ann.id, assignedToUserId: origin.memberId });
  await live.post('/v1/finance/transactions', { type: 'income', amount: 7, currency: 'EUR' });
  await sandbox.post('/v1/contacts', { name: 'Only a test' });
  const runAt = new Date(Date.now() + 3_600_000).toISOString();
  const message = { accountId: account.id, telegramUserId: 5, text: 'Later', runAt };
  jobId = (await live.post('/v1/telegram/messages', message)).body.id;
  await eventually(
    async () => (await live.get(`/v1/webhooks/${hook.id}/deliveries`, { status: 'succeeded' })).body.items.length === 1,
    'the delivery',
  );
  await eventually(async () => (await live.get('/v1/audit-events')).body.items.length >= 8, 'the audit entries');
  counts = await exportWorkspace(origin.id, file);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** A workspace id that nobody has. */
const freshId = async () => (await createWorkspace({ name: 'New', currency: 'USD' })).id;

async function clientOf(workspaceId: number, env: 'live' | 'test' = 'live'): Promise<Client> {
  const terms = { name: 'moved', scopes, ipAllowlist: [], expiresAt: null };
  const limits = { createdByKeyId: null, rateLimitPerMinute: 1_000_000 };
  return api((await transact({ workspaceId, env }, operator, (tx) => mintKey(tx, terms, limits))).key);
}

const lists = [
  '/v1/contacts',
  '/v1/tags',
  '/v1/contacts/1/activities',
  '/v1/contacts?q=ann',
  '/v1/audit-events',
  '/v1/deals',
  '/v1/deals?stage=lead',
  '/v1/tasks',
  '/v1/tasks?status=open',
  '/v1/members',
  '/v1/pipelines',
  '/v1/finance/transactions',
  '/v1/jobs',
  '/v1/jobs?status=queued',
  '/v1/webhooks/1/deliveries',
  `/v1/analytics/dashboard?to=${shifted(new Date(), dayMs)}`,
];

describe('a workspace that is imported', () => {
  let moved: number;
  let live: Client;

  beforeAll(async () => {
    moved = await freshId();
    expect(await importWorkspace(moved, file)).toEqual(counts);
    live = await clientOf(moved);
  });

  test('is counted by the nouns of the API', () => {
    expect(counts).toMatchObject({
      contacts: 2,
      deals: 1,
      tasks: 1,
      tags: 1,
      transactions: 1,
      members: 1,
      accounts: 1,
      jobs: 1,
      webhooks: 1,
      deliveries: 1,
      pipelines: 4,
    });
    expect(counts['auditEvents']).toBeGreaterThanOrEqual(8);
  });

  test.each(lists)('answers %s as the other one does', async (path) => {
    const [theirs, ours] = await Promise.all([origin.live.get(path), live.get(path)]);
    expect(theirs.status).toBe(200);
    expect(ours).toMatchObject({ status: 200, body: theirs.body });
  });

  test('has its test environment, its name and its currency', async () => {
    const sandbox = await clientOf(moved, 'test');
    expect((await sandbox.get('/v1/contacts')).body.items).toEqual((await origin.test.get('/v1/contacts')).body.items);
    expect((await live.get('/v1/me')).body).toMatchObject({ id: moved, name: 'Test' });
  });

  test('has the feed of the other one, and goes on after it', async () => {
    const feeds = await Promise.all(
      [origin.live, live].map(async (client) => (await client.get('/v1/events')).body.items),
    );
    const [theirs, ours] = feeds;
    expect(theirs.length).toBeGreaterThanOrEqual(5);
    expect(ours.slice(0, theirs.length)).toEqual(theirs);
    expect(ours.slice(theirs.length)).toMatchObject([{ event: 'key.created', sequence: theirs.length + 1 }]);
  });

  test('goes on with the next ids and the next sequence', async () => {
    const { items } = (await live.get('/v1/events')).body;
    const { body } = await live.post('/v1/contacts', { name: 'Next' });
    expect(body.id).toBe(2);
    const event = await eventually(
      async () => (await live.get('/v1/events', { since: items.at(-1).sequence })).body.items[0],
      'the event',
    );
    expect(event).toMatchObject({ event: 'contact.created', sequence: items.at(-1).sequence + 1 });
    expect((await origin.live.get('/v1/contacts')).body.items).toHaveLength(1);
  });

  test('sends webhooks again when they are enabled, signed with a new secret', async () => {
    await using receiver = await startReceiver();
    const { body: before } = await live.get('/v1/webhooks/1');
    expect(before).toMatchObject({ isActive: false, status: 'disabled' });
    expect(before.secretHint).not.toBe((await origin.live.get('/v1/webhooks/1')).body.secretHint);
    await live.patch('/v1/webhooks/1', { isActive: true, url: receiver.url });
    await live.post('/v1/contacts', { name: 'Heard' });
    await eventually(async () => receiver.received.some(({ body }) => body.data.name === 'Heard'), 'the webhook');
  });

  test('sends messages again when their account is connected', async () => {
    const place = { tenant: { workspaceId: moved, env: 'live' as const }, channel: 'telegram' as const, accountId: 1 };
    expect((await live.get('/v1/telegram/accounts/1')).body).toMatchObject({ status: 'disconnected', queuedCount: 1 });
    const now = await live.post('/v1/telegram/messages', { accountId: 1, telegramUserId: 6, text: 'Now' });
    const bot = await newAccount({ workspaceId: await freshId(), env: 'live' });
    await expect(connectAccount(place, { kind: 'user', secret: 'x' })).rejects.toThrow('kind bot');
    expect(await connectAccount(place, { kind: 'bot', secret: bot.token })).toMatchObject({ state: 'active' });
    await eventually(
      async () => (await live.get(`/v1/telegram/messages/${now.body.id}`)).body.status === 'sent',
      'the message',
    );
    expect((await bot.arrived()).stored.map(({ text }) => text)).toEqual(['Now']);
    expect((await live.get(`/v1/telegram/messages/${jobId}`)).body.status).toBe('queued');
  });

  test('is refused a second time: it has data of its own', async () => {
    await expect(importWorkspace(moved, file)).rejects.toThrow(`workspace ${moved} has data of its own`);
  });
});

test('an archive holds no key and no secret', async () => {
  const text = await readFile(file, 'utf8');
  const hash = (await origin.live.get('/v1/me')).body.apiKey.keyId;
  const rows = text
    .split('\n')
    .slice(1, -2)
    .map((line) => JSON.parse(line));
  expect(rows.filter(({ pk }) => /key|idempotency/i.test(pk) && !/audit-event\?key=/.test(pk))).toEqual([]);
  for (const row of rows)
    for (const name of ['secret', 'previousSecret', 'credential']) expect(row[name] || null).toBeNull();
  expect(rows.some((row) => row.hash !== undefined)).toBe(false);
  expect(hash).toMatch(/^\w{12}$/);
});

test('an import that is interrupted is finished by the same call, and unknown until then', async () => {
  const id = await freshId();
  let writes = 0;
  documentClient().middlewareStack.add(
    (next, context) => async (args) => {
      if (context.commandName === 'BatchWriteItemCommand') writes += 1;
      if (writes > 3) throw new Error('the power went');
      return next(args);
    },
    { step: 'initialize', priority: 'low', name: 'failing' },
  );
  try {
    await expect(importWorkspace(id, file)).rejects.toThrow('the power went');
  } finally {
    documentClient().middlewareStack.remove('failing');
  }
  expect(writes).toBeGreaterThan(3);
  const other = join(folder, 'other.ndjson');
  await exportWorkspace(await freshId(), other);
  await expect(importWorkspace(id, other)).rejects.toThrow('the import of another file');
  expect(await importWorkspace(id, file)).toEqual(counts);
  const live = await clientOf(id);
  expect((await live.get('/v1/deals')).body).toEqual((await origin.live.get('/v1/deals')).body);
});

describe('a file that is not a whole archive is refused before anything is written', () => {
  test.each<[string, (lines: string[]) => string[], RegExp]>([
    ['cut off', (lines) => lines.slice(0, -5), /cut off/],
    ['with a row missing', (lines) => lines.toSpliced(7, 1), /cut off/],
    ['with half a line', (lines) => lines.toSpliced(4, 1, '{"pk": '), /^line 5 of the file: is not JSON$/],
    ['of another kind', () => ['{"format":"something else"}'], /^line 1 of the file: is not a workspace archive$/],
    [
      'with a row of somebody else',
      (lines) => lines.toSpliced(3, 1, '{"pk":"KEY#abc","sk":"KEY"}'),
      /^line 4 of the file: /,
    ],
    ['empty', () => [], /cut off/],
  ])('%s', async (name, change, message) => {
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    const broken = join(folder, `${name}.ndjson`);
    await writeFile(
      broken,
      change(lines)
        .map((line) => `${line}\n`)
        .join(''),
    );
    const id = await freshId();
    await expect(importWorkspace(id, broken)).rejects.toThrow(message);
    expect((await (await clientOf(id)).get('/v1/contacts')).body.items).toEqual([]);
    expect(await importWorkspace(id, file)).toEqual(counts);
  });
});

test('a workspace that there is not cannot be exported, and leaves no file', async () => {
  const none = join(folder, 'none.ndjson');
  await expect(exportWorkspace(4_000_000, none)).rejects.toThrow('not found');
  await expect(readFile(none)).rejects.toThrow('ENOENT');
});
