import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nouns, uncounted } from '#infra/admin/archive/archive.ts';
import { exportWorkspace } from '#infra/admin/archive/export.ts';
import { importWorkspace } from '#infra/admin/archive/import.ts';
import { dayMs, nextDay, shifted, timestamp } from '#lib/core/clock.ts';
import { env } from '#lib/core/env.ts';
import { operator } from '#lib/core/tenant.ts';
import { pluralOf } from '#lib/core/text.ts';
import { entities } from '#lib/entities/all.ts';
import { EmailMessages } from '#lib/entities/email-message.ts';
import { Jobs } from '#lib/entities/job.ts';
import { Messages } from '#lib/entities/message.ts';
import { connectAccount } from '#lib/messages/accounts/change.ts';
import { pauseJob, resumeJob } from '#lib/messages/jobs/store.ts';
import { bury, discard } from '#lib/table/dead-letter.ts';
import { kindOf } from '#lib/table/entity.ts';
import { blank, fillKey, rowKey, rowKeys, shardOf } from '#lib/table/keys.ts';
import { listAll } from '#lib/table/list.ts';
import { remaining, settle, take } from '#lib/table/quota.ts';
import { readRow, writeRows } from '#lib/table/rows.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { createWorkspace } from '#lib/workspaces/create.ts';
import { createMember } from '#lib/workspaces/members.ts';
import { membershipsOf } from '#lib/workspaces/people.ts';
import document from '#openapi' with { type: 'json' };
import { between } from '#test/between.ts';
import { type Client, eventually } from '#test/client.ts';
import { receiveIn } from '#test/email/raw.ts';
import { uploaded } from '#test/files/upload.ts';
import { newMember } from '#test/panel/member.ts';
import { newAccount } from '#test/telegram/line.ts';
import { startReceiver } from '#test/webhooks/receiver.ts';
import { clientOf, newWorkspace, type TestWorkspace } from '#test/workspace.ts';

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
  const { body: hook } = await live.post('/v1/webhooks', {
    url: receiver.url,
    eventKinds: ['contact.created'],
    filter: { changedFields: ['name'], channels: ['email'] },
  });
  const account = await newAccount({ workspaceId: origin.id, env: 'live' });
  const { body: ann } = await live.post('/v1/contacts', {
    name: 'Ann',
    email: 'ann@example.com',
    platform: 'telegram',
  });
  await live.post(`/v1/contacts/${ann.id}/tags`, { tagName: 'lead' });
  await live.post(`/v1/contacts/${ann.id}/activities`, { text: 'a note\u2028of two\u2029lines' });
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

test('every entity with a list in the API is counted under its noun, and no other', () => {
  const lists = Object.entries(document.paths)
    // Files that were taken in or written are no part of an archive.
    .filter(([path, operations]) => 'get' in operations && !path.endsWith('}') && !/\/(im|ex)ports$/.test(path))
    .map(([path]) => path.replaceAll(/\/v1|[^a-z]/g, ''));
  const isListed = (noun: string) => {
    const words = new RegExp(`${noun.replaceAll(/[A-Z]/g, (letter) => `.*${letter.toLowerCase()}`)}$`);
    return lists.some((path) => words.test(path));
  };
  const listed = entities.filter((of) => isListed(pluralOf(of.name)));
  const counted = entities.filter((of) => kindOf(of) in nouns);
  expect(counted.map(({ name }) => name).toSorted()).toEqual(listed.map(({ name }) => name).toSorted());
  const names = entities.map(({ name }) => name);
  expect(uncounted.filter((name) => !names.includes(name))).toEqual([]);
});

/** A workspace id that nobody has. */
const freshId = async () => (await createWorkspace({ name: 'New', currency: 'USD' })).id;

describe('a workspace that is imported', () => {
  let moved: number;
  let live: Client;

  beforeAll(async () => {
    moved = await freshId();
    expect(await importWorkspace(moved, file)).toEqual(counts);
    live = await clientOf(moved);
  });

  test('continues with the next ids and the next sequence', async () => {
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
    const { body: theirs } = await origin.live.get('/v1/webhooks/1');
    expect(before.secretHint).not.toBe(theirs.secretHint);
    expect(before.filter).toEqual(theirs.filter);
    const path = '/v1/webhooks/1/deliveries/1';
    const attemptsOf = async (client: Client) => (await client.get(path)).body.attempts;
    expect(await attemptsOf(live)).toEqual(await attemptsOf(origin.live));
    expect((await attemptsOf(live))[0].responseHeaders).toMatchObject({ date: expect.any(String) });
    await live.patch('/v1/webhooks/1', { isActive: true, url: receiver.url });
    await live.post('/v1/contacts', { name: 'Heard' });
    await eventually(async () => receiver.received.some(({ body }) => body.data.name === 'Heard'), 'the webhook');
  });

  test('sends messages again when their account is connected', async () => {
    const connect = (kind: 'bot' | 'user', secret: string) =>
      transact({ workspaceId: moved, env: 'live' }, operator, (tx) =>
        connectAccount(tx, { id: 1, channel: 'telegram' }, { kind, secret }),
      );
    expect((await live.get('/v1/telegram/accounts/1')).body).toMatchObject({ status: 'disconnected', queuedCount: 1 });
    const now = await live.post('/v1/telegram/messages', { accountId: 1, telegramUserId: 6, text: 'Now' });
    const bot = await newAccount({ workspaceId: await freshId(), env: 'live' });
    await expect(connect('user', 'x')).rejects.toThrow('kind bot');
    expect(await connect('bot', bot.token)).toMatchObject({ state: 'active' });
    await eventually(
      async () => (await live.get(`/v1/telegram/messages/${now.body.id}`)).body.status === 'sent',
      'the message',
    );
    expect((await bot.arrived()).stored.map(({ text }) => text)).toEqual(['Now']);
    expect((await live.get(`/v1/telegram/messages/${jobId}`)).body.status).toBe('queued');
  });

  test('is refused a second time: it has data of its own', async () => {
    await expect(importWorkspace(moved, file)).rejects.toThrow(
      `workspace ${moved} already has data: import into a new one`,
    );
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
  await between(
    async ({ operation }, next) => {
      if (operation === 'TransactWriteItems') writes += 1;
      if (writes > 1) throw new Error('the power went');
      return next();
    },
    () => expect(importWorkspace(id, file)).rejects.toThrow('the power went'),
  );
  expect(writes).toBeGreaterThan(1);
  const other = join(folder, 'other.ndjson');
  await exportWorkspace(await freshId(), other);
  await expect(importWorkspace(id, other)).rejects.toThrow('the import of another file');
  expect(await importWorkspace(id, file)).toEqual(counts);
  const live = await clientOf(id);
  expect((await live.get('/v1/deals')).body).toEqual((await origin.live.get('/v1/deals')).body);
});

test('an import that was frozen writes nothing any more when the same call has finished it', async () => {
  const id = await freshId();
  const wake = Promise.withResolvers<void>();
  const frozen = Promise.withResolvers<void>();
  let isFirst = true;
  await between(
    async ({ operation, input }, next) => {
      if (isFirst && operation === 'TransactWriteItems' && JSON.stringify(input).includes(`${id}:live#contact`)) {
        isFirst = false;
        frozen.resolve();
        await wake.promise;
      }
      return next();
    },
    async () => {
      const first = importWorkspace(id, file);
      await frozen.promise;
      await importWorkspace(id, file);
      const live = await clientOf(id);
      const [contact] = (await live.get('/v1/contacts')).body.items;
      await live.patch(`/v1/contacts/${contact.id}`, { name: 'Renamed since' });
      const made = (await live.post('/v1/contacts', { name: 'Made since' })).body;
      wake.resolve();
      await expect(first).rejects.toThrow('another call of this import is running or has finished it');
      expect((await live.get(`/v1/contacts/${contact.id}`)).body.name).toBe('Renamed since');
      expect((await live.post('/v1/contacts', { name: 'Next' })).body.id).toBeGreaterThan(made.id);
    },
  );
});

test('a member of an imported workspace is in it since the import', async () => {
  const { id: first } = await createWorkspace({ name: 'First', currency: 'USD' });
  const { email } = await newMember(first);
  const { id: second } = await createWorkspace({ name: 'Second', currency: 'USD' });
  await transact({ workspaceId: second, env: 'live' }, operator, (tx) =>
    createMember(tx, { email, name: null, role: 'member' }),
  );
  const whole = join(folder, 'members.ndjson');
  await eventually(async () => exportWorkspace(first, whole).catch(() => undefined), 'the export');
  const id = await freshId();
  await importWorkspace(id, whole);
  expect((await membershipsOf(email)).map(({ workspaceId }) => workspaceId)).toEqual([first, second, id]);
  // As many as there were count towards the thousand that there may be.
  expect(await readRow(rowKey('memberCount', { workspace: id }))).toMatchObject({ made: 1 });
});

test('files stay with the workspace whose messages have them: an import neither shows nor erases any', async () => {
  const { id: workspaceId, live } = await newWorkspace();
  const account = await newAccount({ workspaceId, env: 'live' });
  const runAt = shifted(new Date(), dayMs);
  const { body: ann } = await live.post('/v1/contacts', { name: 'Ann', username: 'ann', email: 'ann@files.example' });
  const text = { accountId: account.id, contactId: ann.id, text: 'See this', runAt };
  const mail = { to: ['ann@files.example'], subject: 'This', bodyText: 'See it', runAt };
  const sent = await live.post('/v1/telegram/messages', { ...text, attachments: [await uploaded(live)] });
  const mailed = await live.post('/v1/email/messages', { ...mail, attachments: [await uploaded(live)] });
  expect([sent.status, mailed.status]).toEqual([202, 202]);
  const untaken = await uploaded(live);
  const { threadId } = mailed.body;
  const attachments = async (of: Client) => {
    const lists = [`/v1/contacts/${ann.id}/messages`, `/v1/email/threads/${threadId}/messages`];
    const [messages, mails] = await Promise.all(lists.map(async (path) => (await of.get(path)).body.items));
    const paths = [
      ...messages.map(({ id }: { id: number }) => `/v1/messages/${id}`),
      ...mails.map(({ id }: { id: number }) => `/v1/email/threads/${threadId}/messages/${id}`),
    ];
    return Promise.all(paths.map(async (path) => (await of.get(`${path}/attachments/1`)).body));
  };
  const kept = await eventually(async () => {
    const all = await attachments(live);
    return all.length === 3 && all.every(({ url }) => url.includes('/messages/')) && all;
  }, 'the files to be where they stay');
  const whole = join(folder, 'files.ndjson');
  await exportWorkspace(workspaceId, whole);
  const copy = await freshId();
  await importWorkspace(copy, whole);
  const other = await clientOf(copy);
  expect(await attachments(other)).toMatchObject(
    kept.map(() => ({ fileName: 'offer.pdf', status: 'expired', url: null })),
  );
  const rowsOf = (tx: UnitOfWork) =>
    Promise.all([listAll(tx, Messages, { contactId: ann.id }), listAll(tx, EmailMessages, { threadId })]);
  const arrived = await rowsOf(new UnitOfWork({ workspaceId: copy, env: 'live' }, operator));
  for (const { attachments: files } of arrived.flat())
    for (const file of files) expect([file.key, file.uploadedAs]).toEqual([null, undefined]);
  expect(await other.post('/v1/email/messages', { ...mail, attachments: [untaken] })).toMatchObject({ status: 400 });
  await transact({ workspaceId: copy, env: 'live' }, operator, async (tx) =>
    tx.update(Jobs, { ...(await tx.get(Jobs, { id: mailed.body.id })), runAt: tx.now, queuedFor: tx.now }),
  );
  const job = await eventually(async () => {
    const { body } = await other.get(`/v1/jobs/${mailed.body.id}`);
    return body.status !== 'queued' && body;
  }, 'the mail');
  expect(job).toMatchObject({ status: 'failed', lastError: 'the bytes of an attachment are gone', attempts: 1 });
  // As the import of an older version has left them.
  const [messages, mails] = await rowsOf(new UnitOfWork({ workspaceId, env: 'live' }, operator));
  await transact({ workspaceId: copy, env: 'live' }, operator, async (tx) => {
    await rowsOf(tx);
    for (const row of messages) tx.update(Messages, row);
    for (const row of mails) tx.update(EmailMessages, row);
  });
  expect(await attachments(other)).toMatchObject(kept.map(() => ({ status: 'stored', url: null })));
  const { body: erasure } = await other.post(`/v1/contacts/${ann.id}/erasure`, { confirm: String(ann.id) });
  await eventually(
    async () => (await other.get(`/v1/erasures/${erasure.id}`)).body.status === 'completed',
    'the erasure',
    60_000,
  );
  const files = await Promise.all((await attachments(live)).map(async ({ url }) => (await fetch(url)).text()));
  expect(files).toEqual(kept.map(() => 'an offer'));
});

test('quotas stay with the workspace, and mails of an import are paid for when they leave', async () => {
  const of = await newWorkspace();
  const tenant = { workspaceId: of.id, env: 'test' } as const;
  const { threadId } = await receiveIn(of, 'test')();
  const runAt = shifted(new Date(), dayMs);
  const { body: reply } = await of.test.post(`/v1/email/threads/${threadId}/replies`, { bodyText: 'Due', runAt });
  const paid = { day: runAt.slice(0, 10), amount: 1 };
  await transact(tenant, operator, async (tx) => {
    const job = await tx.get(Jobs, { id: reply.id });
    pauseJob(tx, { ...job, isUnpaid: false, paid });
  });
  await of.test.post('/v1/contacts', { name: 'Last' });
  await take(tenant, 'emails', env('QUOTA_EMAILS_PER_DAY'));
  const whole = join(folder, 'mail.ndjson');
  await eventually(async () => exportWorkspace(of.id, whole).catch(() => undefined), 'the export');
  const rows = (await readFile(whole, 'utf8')).trimEnd().split('\n').slice(1, -1);
  expect(rows.filter((line) => JSON.parse(line).pk.endsWith('#quota'))).toEqual([]);
  const id = await freshId();
  const to = { workspaceId: id, env: 'test' } as const;
  await importWorkspace(id, whole);
  const moved = await clientOf(id, 'test');
  const taken = await transact(to, operator, (tx) => tx.get(Jobs, { id: reply.id }));
  expect([taken.isUnpaid, taken.paid]).toEqual([true, undefined]);
  expect(await remaining(to, 'emails')).toBe(env('QUOTA_EMAILS_PER_DAY'));
  const { items } = (await moved.get('/v1/contacts')).body;
  expect((await moved.post('/v1/contacts', { name: 'Next' })).body.id).toBe(items[0].id + 1);

  const release = () =>
    transact(to, operator, async (tx) => resumeJob(tx, await tx.get(Jobs, { id: reply.id }), tx.now));
  const { amount } = await take(to, 'emails', env('QUOTA_EMAILS_PER_DAY'));
  await release();
  const status = async () => (await moved.get(`/v1/jobs/${reply.id}`)).body;
  const tomorrow = nextDay().slice(0, 10);
  await eventually(async () => (await status()).runAt.startsWith(tomorrow), 'the mail to be put off');
  expect(await status()).toMatchObject({ status: 'queued', attempts: 0 });
  await settle(to, 'emails', { day: timestamp().slice(0, 10), amount }, amount - 5);
  await transact(to, operator, async (tx) =>
    tx.update(Jobs, { ...(await tx.get(Jobs, { id: reply.id })), runAt: tx.now, queuedFor: tx.now }),
  );
  await eventually(async () => (await status()).status === 'sent', 'the mail');
  expect(await remaining(to, 'emails')).toBe(4);
});

test('every kind of row that lib declares is known to an import', async () => {
  const sources = await Promise.all(globSync('{lib,infra/admin}/**/*.ts').map((path) => readFile(path, 'utf8')));
  const declared = sources.flatMap((text) =>
    [...text.matchAll(/ = entity\(\{[^}]*?name: '([^']+)'/g)].map(([, of]) => of),
  );
  expect(declared.length).toBeGreaterThan(30);
  expect(entities.map(({ name }) => name).sort()).toEqual(
    declared.filter((of) => of !== 'key' && of !== 'saga').sort(),
  );
});

test('an import takes any export, whatever else its workspace holds', async () => {
  const { id } = await newWorkspace();
  const tenant = `${id}:test`;
  const blanks = {
    scope: tenant,
    tenant,
    workspace: id,
    group: 'met/2026-11-22',
    entity: 'contact',
    call: 'a',
    sagaId: 'a',
    day: '2026-11-22',
    noun: 'contact',
  };
  const own = Object.values(rowKeys).filter(([pk]) => /^\{(scope|tenant|workspace)\}#/.test(pk));
  expect(own.length).toBeGreaterThanOrEqual(10);
  const places = own.map(([pk, sk]) => ({ pk: fillKey(pk, blanks), sk: sk.replaceAll(blank, '1') }));
  const unknown = [`${tenant}#novelty`, `${tenant}#novelty/1/part`, `${tenant}#count/novelties`].map((pk) => ({
    pk,
    sk: '0000000001',
  }));
  await writeRows([...places, ...unknown].map((key) => ({ PutRequest: { Item: { ...key, contact: 1 } } })));
  const strange = join(folder, 'strange.ndjson');
  await exportWorkspace(id, strange);
  const lines = (await readFile(strange, 'utf8')).trimEnd().split('\n').slice(1, -1);
  const written = new Set(lines.map((line) => JSON.parse(line).pk));
  const kept = places.map(({ pk }) => pk.slice(String(id).length)).filter((pk) => written.has(pk));
  expect(kept.sort()).toEqual([':test#count/met/2026-11-22', ':test#event-number', ':test#ids']);
  expect(lines.join()).not.toContain('novelt');
  await expect(importWorkspace(await freshId(), strange)).resolves.toBeDefined();
});

test('a workspace is not exported without its dead letters', async () => {
  const id = await freshId();
  const tenant = `${id}:live`;
  const row = rowKey('outbox', { shard: shardOf('outbox', tenant), time: timestamp(), transaction: 'dead' });
  await writeRows([{ PutRequest: { Item: { ...row, tenant, events: 'unheard of' } } }]);
  await bury(row, new Error('a reason'));
  const target = join(folder, 'dead.ndjson');
  await expect(exportWorkspace(id, target)).rejects.toMatchObject({ details: { reason: 'dead_letters' } });
  await expect(readFile(target)).rejects.toThrow('ENOENT');
  await discard(`${row.pk}/${row.sk}`);
  await exportWorkspace(id, target);
});

test('a workspace that there is not cannot be exported, and leaves no file', async () => {
  const none = join(folder, 'none.ndjson');
  await expect(exportWorkspace(4_000_000, none)).rejects.toThrow('not found');
  await expect(readFile(none)).rejects.toThrow('ENOENT');
});
