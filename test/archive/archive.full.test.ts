import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectAccount } from '#lib/accounts/change.ts';
import { nouns, uncounted } from '#lib/archive/archive.ts';
import { excess } from '#lib/archive/excess.ts';
import { exportWorkspace } from '#lib/archive/export.ts';
import { importWorkspace } from '#lib/archive/import.ts';
import { dayMs, nextDay, shifted, timestamp } from '#lib/clock.ts';
import { createContact } from '#lib/contacts/store.ts';
import { entities } from '#lib/entities/all.ts';
import { EmailMessages } from '#lib/entities/email-message.ts';
import { Jobs } from '#lib/entities/job.ts';
import { Messages } from '#lib/entities/message.ts';
import { env } from '#lib/env.ts';
import { pauseJob, resumeJob } from '#lib/jobs/store.ts';
import { mintKey } from '#lib/keys/store.ts';
import { membershipsOf } from '#lib/members/people.ts';
import { left, settle, take } from '#lib/quotas/quota.ts';
import { scopes } from '#lib/scopes.ts';
import { kindOf } from '#lib/table/entity.ts';
import { blank, filled, rowKeys, sortableId } from '#lib/table/keys.ts';
import { listAll } from '#lib/table/list.ts';
import { pages } from '#lib/table/pages.ts';
import { writeRows } from '#lib/table/rows.ts';
import { discard, setAside } from '#lib/table/set-aside.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { operator } from '#lib/tenant.ts';
import { pluralOf } from '#lib/text.ts';
import { createWorkspace } from '#lib/workspaces/store.ts';
import document from '#openapi' with { type: 'json' };
import { between } from '#test/between.ts';
import { api, type Client, eventually } from '#test/client.ts';
import { receiveIn } from '#test/email/raw.ts';
import { uploaded } from '#test/files/upload.ts';
import { newMember } from '#test/panel/member.ts';
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
    .filter(([path, operations]) => 'get' in operations && !path.endsWith('}'))
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
      await expect(first).rejects.toThrow('elsewhere: it was called again');
      expect((await live.get(`/v1/contacts/${contact.id}`)).body.name).toBe('Renamed since');
      expect((await live.post('/v1/contacts', { name: 'Next' })).body.id).toBeGreaterThan(made.id);
    },
  );
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
    [
      'with a line without an end',
      (lines) => lines.toSpliced(3, 1, 'x'.repeat(10_000_000)),
      /^line 4 of the file: is longer than any row$/,
    ],
    [
      'with a line of brackets',
      (lines) => lines.toSpliced(3, 1, `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`),
      /^line 4 of the file: /,
    ],
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

describe('a file with a row that no export writes is refused, with its line, before anything is written', () => {
  const contact = (lines: string[]) => rowOf(lines, ':live#contact');
  const cases: [what: string, row: (lines: string[]) => object, message: RegExp][] = [
    [
      'of a workspace whose number begins alike',
      () => ({ pk: '0:live#sequence', sk: 'a', last: 5 }),
      /no archive holds$/,
    ],
    ['of a saga', () => ({ pk: ':live#plan', sk: 'a', id: 'a', kind: 'commit', state: {}, v: 1 }), /no archive holds$/],
    ['of a kept answer', () => ({ pk: ':live#idempotency/a', sk: '0', piece: 'x' }), /no archive holds$/],
    ['of a key', () => ({ pk: '#key-count', sk: 'active', active: 1 }), /no archive holds$/],
    ['of another shape', (lines) => ({ ...contact(lines), name: 5 }), /is no contact: name /],
    ['without a version', (lines) => ({ ...contact(lines), v: undefined }), /was not at rest$/],
    ['at a place of another', (lines) => ({ ...contact(lines), sk: '0000000009' }), /lies where it does not belong$/],
    ['with a time that there is not', timeless, /is no job: runAt must be/],
    ['larger than an item', (lines) => ({ ...contact(lines), more: '\u4e2d'.repeat(140_000) }), /has 4\d{5} bytes/],
    ['nested too deep', (lines) => ({ ...contact(lines), more: nested(40) }), /is nested deeper than 32$/],
    ['nested without end', (lines) => ({ ...contact(lines), more: nested(3_000) }), /is nested deeper than 32$/],
    ['with half a character', (lines) => ({ ...contact(lines), more: '\ud800' }), /holds half a character$/],
    ['with a number that the table lacks', (lines) => ({ ...contact(lines), more: 1e200 }), /too large$/],
    ['that is there twice', contact, /was there before$/],
    ['that counts what nobody counts', () => ({ pk: ':live#votes', sk: 'a', count: 1 }), /no archive holds$/],
    [
      'that counts below zero',
      () => ({ pk: ':live#count/sent/2026-11-22', sk: '1#0', sent: -1 }),
      /counts what cannot/,
    ],
    ['of events before the first', () => ({ pk: ':live#sequence', sk: 'other', last: -5 }), /counts what cannot/],
    ['of ids that there are not', () => ({ pk: ':test#ids', sk: 'other', contact: 1e11 }), /counts what cannot/],
    ['of events without end', () => ({ pk: ':live#sequence', sk: 'other', last: 2 ** 53 - 1 }), /counts what cannot/],
    ['of the last id', () => ({ pk: ':test#ids', sk: 'other', contact: 2 ** 31 - 1 }), /counts what cannot/],
    [
      'that counts without end',
      () => ({ pk: ':live#count/sent/2026-11-22', sk: '1#0', sent: 1e30 }),
      /counts what cannot/,
    ],
    ['that was written too often', (lines) => ({ ...contact(lines), v: 2 ** 53 }), /counts (v|sequence) too far$/],
    ['of the last event', lastEvent, /counts (v|sequence) too far$/],
    ['with the last id', (lines) => ({ ...contact(lines), id: 2 ** 31 - 1, sk: '2147483647' }), /has an id/],
    ['of the end of a feed elsewhere', () => ({ pk: ':live#sequence', sk: 'zzz', last: 0 }), /does not belong$/],
    ['of the last ids elsewhere', () => ({ pk: ':live#ids', sk: 'zzz', contact: 3 }), /does not belong$/],
    [
      'of an event that is none',
      (lines) => ({ ...anEvent(lines, 500), body: 'zzz' }),
      /tells of no event, or of another$/,
    ],
    ['with a time that is none', (lines) => ({ ...contact(lines), createdAt: 'zzz' }), /createdAt/],
    [
      'with a choice that there is not',
      (lines) => ({ ...aTask(lines), priority: 'zzz' }),
      /is no task: priority must be one of/,
    ],
    ['due at a time that is none', (lines) => ({ ...aTask(lines), dueAt: 'zzz' }), /is no task: dueAt must be/],
    ['of a kind that is none', () => ({ pk: ':live#__proto__', sk: 'a' }), /no archive holds$/],
    ['of too many endpoints', tooManyEndpoints, /is no webhook-registry: endpoints must have at most 20/],
    ['of a sequence in a circle', () => aSequence([0]), /has steps that are out of order$/],
    ['of a job of no account', (lines) => ({ ...aJob(lines), accountId: 77 }), /is of account 77, which there is not$/],
    [
      'of a job before its turn',
      (lines) => ({ ...aJob(lines), queuedFor: '2099-01-01T00:00:00Z' }),
      /before its turn$/,
    ],
    [
      'of a job that nobody sends',
      (lines) => ({ ...aJob(lines), accountId: null }),
      /is sent by nobody: accountId is required$/,
    ],
    [
      'of a sequence of no account',
      () => ({ ...aSequence([1]), accountId: 77 }),
      /is of account 77, which there is not$/,
    ],
    [
      'due at a time of another form',
      (lines) => ({ ...aTask(lines), dueAt: 'Jan 1 2020' }),
      /is no task: dueAt must be/,
    ],
    ['tried less than never', (lines) => ({ ...aJob(lines), attempts: -1 }), /is no job: attempts must be at least 0$/],
    [
      'that counts at length',
      () => ({ pk: ':live#count/sent/2026-11-22', sk: '1#0', ...many(200) }),
      /larger than what/,
    ],
    [
      'of an invoice that is due after the last year',
      () => anInvoice({ dueDate: '9999-12-31T23:59:59Z' }),
      /is due at no time$/,
    ],
    ['of a mail in no thread', (lines) => aBody(lines), /is of email-message 7\/8, which there is not$/],
    ['of an enrollment in no sequence', () => anEnrollment, /is of sequence 9, which there is not$/],
    ['of a tag whose name is taken', (lines) => aTagOfOneName(lines), /was there before$/],
    [
      'of ids of more parents than there are',
      () => ({ pk: ':test#ids', sk: 'ids', contact: 2 ** 26 }),
      /counts what cannot/,
    ],
    [
      'of a contact of all tags that there could be',
      (lines) => ({ ...aContact(lines), tagIds: ids(1001) }),
      /tagIds must have at most/,
    ],
    ['of ids of keys', () => ({ pk: '#ids', sk: 'other', key: 0 }), /counts what cannot/],
    ['with an id that there is not', (lines) => ({ ...contact(lines), id: 1e11, sk: '100000000000' }), /has an id/],
  ];
  function rowOf(lines: string[], pk: string) {
    return JSON.parse(lines.find((line) => line.includes(`"pk":"${pk}"`)) as string);
  }
  function anEvent(lines: string[], sequence: number) {
    return { ...rowOf(lines, ':live#feed'), sequence, sk: String(sequence).padStart(12, '0') };
  }
  function lastEvent(lines: string[]) {
    return { ...anEvent(lines, 2 ** 53 - 1), sk: String(2 ** 53 - 1) };
  }
  const aJob = (lines: string[]) => ({ ...rowOf(lines, ':live#job'), id: 99, sk: '0000000099' });
  function aSequence(positions: number[]) {
    const counts = {
      stepCount: 1,
      enrolledCount: 0,
      activeCount: 0,
      completedCount: 0,
      repliedCount: 0,
      failedCount: 0,
    };
    const times = { startedAt: null, pausedAt: null, createdAt: '2026-01-01T00:00:00Z', updatedAt: null };
    const steps = positions.map((position, index) => ({ id: index + 1, position, delayMinutes: 0, text: 'Again' }));
    const of = { id: 9, name: 'Drip', channel: 'telegram', accountId: null, status: 'active', steps };
    return { pk: ':live#campaign', sk: '0000000009', v: 1, ...of, ...counts, ...times };
  }
  function many(count: number) {
    return Object.fromEntries(Array.from({ length: count }, (_, index) => [`a number of a long name ${index}`, 1]));
  }
  function aTask(lines: string[]) {
    return { ...rowOf(lines, ':live#task'), id: 99, sk: '0000000099' };
  }
  function tooManyEndpoints(lines: string[]) {
    const endpoints = Array.from({ length: 21 }, (_, id) => ({ id: id + 1, url: `https://example.com/${id}` }));
    return { ...rowOf(lines, ':live#webhook-registry'), endpoints };
  }
  function timeless(lines: string[]) {
    const job = JSON.parse(lines.find((line) => line.includes('"pk":":live#job"')) as string);
    return { ...job, id: 99, sk: '0000000099', runAt: '2026-19-39T00:00:00Z' };
  }
  function anInvoice(more: object) {
    const place = { pk: ':live#invoice', sk: '0000000009', v: 1, id: 9, invoiceNumber: '9', status: 'sent' };
    const owed = { currency: 'EUR', total: 1, contactId: null, issueDate: '2026-01-01T00:00:00Z', paidAt: null };
    return { ...place, ...owed, ...more };
  }
  const aContact = (lines: string[]) => ({ ...rowOf(lines, ':live#contact'), id: 99, sk: '0000000099' });
  const ids = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
  const aBody = (_: string[]) => ({
    ...{ pk: ':live#email-thread/7/body', sk: '0000000008#1', v: 1 },
    ...{ threadId: 7, messageId: 8, part: 1, body: 'x' },
  });
  const anEnrollment = {
    ...{ pk: ':live#sequence/9/enrollment', sk: '0000000001', v: 1, entityVersion: 2, id: 1, sequenceId: 9 },
    ...{ contactId: 1, contactName: null, status: 'active', currentStep: 0, nextRunAt: null, lastError: null },
    ...{ enrolledAt: '2026-01-01T00:00:00Z', completedAt: null, jobId: null, threadId: null, heldAt: null },
  };
  const aTagOfOneName = (lines: string[]) => {
    const tag = rowOf(lines, ':live#tag');
    return { ...tag, id: 99, sk: '0000000099', name: tag.name.toUpperCase() };
  };
  const nested = (depth: number): object => (depth === 0 ? {} : { inner: nested(depth - 1) });

  test.each(cases)('%s', async (name, row, message) => {
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    const bad = join(folder, `${name}.ndjson`);
    await writeFile(bad, `${lines.toSpliced(-1, 0, JSON.stringify(row(lines))).join('\n')}\n`);
    const id = await freshId();
    await expect(importWorkspace(id, bad)).rejects.toThrow(message);
    await expect(importWorkspace(id, bad)).rejects.toThrow(`line ${lines.length} of the file: `);
    expect(await inTable(id, 'live#contact')).toEqual([]);
  });
});

/** The rows of a partition of a workspace. */
async function inTable(id: number, name: string) {
  const rows = [];
  for await (const page of pages({ pk: `${id}:${name}` })) rows.push(...page);
  return rows;
}

test('what a file says of who has a row in hand does not count, nor that there are more endpoints than are registered', async () => {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const farMs = Date.now() + 20 * dayMs;
  const rows = lines.map((line) => JSON.parse(line));
  const hook = rows.find(({ pk }) => pk === ':live#webhook');
  const health = rows.find(({ pk }) => pk === ':live#webhook-health');
  const dispatch = rows.find(({ pk }) => pk === ':live#webhook-wake');
  await using receiver = await startReceiver();
  const more = Array.from({ length: 19 }, (_, index) => index + 100).flatMap((id) => {
    const place = { id, sk: sortableId(id) };
    return [
      { ...hook, ...place, url: `${receiver.url}/${id}`, filter: null },
      { ...health, ...place, owner: 'nobody', leaseUntilMs: farMs, openUntilMs: farMs },
      { ...dispatch, ...place },
    ];
  });
  const trailer = rows.pop();
  rows.push(...more, { ...trailer, rows: trailer.rows + more.length });
  const made = join(folder, 'in-hand.ndjson');
  await writeFile(made, `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`);
  const id = await freshId();
  await importWorkspace(id, made);
  const live = await clientOf(id);
  const answers = await Promise.all(
    more.filter(({ url }) => url).map((one) => live.patch(`/v1/webhooks/${one.id}`, { isActive: true })),
  );
  const statuses = answers.map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200]));
  const twentieth = await live.post('/v1/webhooks', { url: `${receiver.url}/last` });
  expect(twentieth.body.details).toMatchObject({ reason: 'limit_reached' });
  await live.post('/v1/contacts', { name: 'At once' });
  await expect.poll(() => receiver.received.length, { timeout: 10_000 }).toBe(19);
});

test('a mail to a crowd is more than there may be', () => {
  const crowd = Array.from({ length: 51 }, (_, at) => ({ name: null, email: `p${at}@example.com` }));
  const mail = { direction: 'outbound', to: crowd.slice(0, 49), cc: [crowd[49]], bcc: [] };
  expect(excess(EmailMessages, mail)).toBeUndefined();
  expect(excess(EmailMessages, { ...mail, bcc: [crowd[50]] })).toBe('goes to more than a mail goes to');
  expect(excess(EmailMessages, { ...mail, direction: 'inbound', bcc: [crowd[50]] })).toBeUndefined();
});

test('a name of a tag follows from the tag, and when a row ends from the row, whatever the file says', async () => {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const rows = lines
    .map((line) => JSON.parse(line))
    .map((row) => (row.pk === ':live#job' ? { ...row, expiresAtSeconds: 1 } : row));
  const trailer = rows.pop();
  rows.push({ pk: ':live#tag-name', sk: 'vip', v: 1, name: 'vip', tagId: 77 }, { ...trailer, rows: trailer.rows + 1 });
  const made = join(folder, 'names.ndjson');
  await writeFile(made, `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`);
  const id = await freshId();
  await importWorkspace(id, made);
  const live = await clientOf(id);
  expect(await live.post('/v1/tags', { name: 'VIP' })).toMatchObject({ status: 201, body: { name: 'VIP' } });
  expect(await live.post('/v1/tags', { name: 'Lead' })).toMatchObject({ status: 409 });
  expect(await live.get(`/v1/jobs/${jobId}`)).toMatchObject({ status: 200 });
  expect((await inTable(id, 'live#job')).map((row) => row['expiresAtSeconds'])).toEqual([undefined]);
});

test('a file with more endpoints than there may be is refused', async () => {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const hook = JSON.parse(lines.find((line) => line.includes('"pk":":live#webhook"')) as string);
  const more = Array.from({ length: 20 }, (_, index) => ({ ...hook, id: index + 50, sk: sortableId(index + 50) }));
  const made = join(folder, 'endpoints.ndjson');
  await writeFile(made, `${lines.toSpliced(-1, 0, ...more.map((row) => JSON.stringify(row))).join('\n')}\n`);
  await expect(importWorkspace(await freshId(), made)).rejects.toThrow('there are more than 20 webhooks');
});

test('a file with more members than there may be is refused, and those that it has count', async () => {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const member = JSON.parse(lines.find((line) => line.includes('"pk":"#member"')) as string);
  const withMembers = async (count: number) => {
    const more = Array.from({ length: count - 1 }, (_, index) => index + 50).map((id) => ({
      ...member,
      ...{ id, sk: sortableId(id), email: `m${id}@many.example` },
    }));
    const trailer = JSON.parse(lines.at(-1) as string);
    const made = join(folder, `members-${count}.ndjson`);
    const rows = [...more, { ...trailer, rows: trailer.rows + more.length }];
    await writeFile(made, `${[...lines.slice(0, -1), ...rows.map((row) => JSON.stringify(row))].join('\n')}\n`);
    return made;
  };
  await expect(importWorkspace(await freshId(), await withMembers(1001))).rejects.toThrow(
    'there are more than 1000 members',
  );
  const id = await freshId();
  await importWorkspace(id, await withMembers(999));
  await newMember(id);
  await expect(newMember(id)).rejects.toMatchObject({ status: 409, details: { reason: 'limit_reached' } });
});

test('whatever time a file says, a member has been in the workspace that it is taken into since the import', async () => {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const { id: own } = await createWorkspace({ name: 'Own', currency: 'USD' });
  const { email } = await newMember(own);
  const of = { createdAt: '1999-01-01T00:00:00Z', importedAt: '1999-01-01T00:00:00Z', email };
  const made = join(folder, 'members-of-old.ndjson');
  const rows = lines.map((line) =>
    line.includes('"pk":"#member"') ? JSON.stringify({ ...JSON.parse(line), ...of }) : line,
  );
  await writeFile(made, `${rows.join('\n')}\n`);
  const id = await freshId();
  await importWorkspace(id, made);
  expect((await membershipsOf(email)).map(({ workspaceId }) => workspaceId)).toEqual([own, id]);
  expect((await (await clientOf(id)).get('/v1/members')).body.items[0]).toMatchObject({ createdAt: of.createdAt });
});

test('a file of another version, made by hand, shows nothing of another workspace', async () => {
  const id = await freshId();
  const theirs = { workspaceId: Number(`${id}0`), env: 'live' as const };
  const { contact } = await transact(theirs, operator, async (tx) => ({
    contact: await createContact(tx, { name: 'Hidden', platform: 'telegram' }),
  }));
  const entry = (index: string, of: object) => ({ pk: `:live#contact?${index}`, sk: sortableId(contact.id), of });
  const of = (prefix: string) => ({ pk: `${prefix}:live#contact`, sk: sortableId(contact.id) });
  const rows = [
    { ...entry('platform=telegram', of('X0')) },
    { ...entry('search', of('X0')), text: 'hidden' },
    {
      pk: 'DUE',
      sk: '2026-01-01T00:00:00Z#X0:live#plan#a',
      at: '2026-01-01T00:00:00Z',
      queue: 'plans',
      tenant: 'X0:live',
    },
  ];
  const lines = [
    { format: 'crm-workspace', version: 1, workspaceId: 1, exportedAt: '2026-01-01T00:00:00Z' },
    ...rows,
    { rows: rows.length, counts: {} },
  ];
  const handmade = join(folder, 'handmade.ndjson');
  await writeFile(handmade, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  await importWorkspace(id, handmade);
  const live = await clientOf(id);
  expect((await live.get('/v1/contacts', { platform: 'telegram' })).body.items).toEqual([]);
  expect((await live.get('/v1/contacts', { q: 'hidden' })).body.items).toEqual([]);
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

test('what a file says of quotas, of the last ids and of events without end does not count, and its mails are paid for when they leave', async () => {
  const of = await newWorkspace();
  const tenant = { workspaceId: of.id, env: 'test' } as const;
  const { threadId } = await receiveIn(of, 'test')();
  const runAt = shifted(new Date(), dayMs);
  const { body: reply } = await of.test.post(`/v1/email/threads/${threadId}/replies`, { bodyText: 'Due', runAt });
  await transact(tenant, operator, async (tx) => {
    const job = await tx.get(Jobs, { id: reply.id });
    pauseJob(tx, { ...job, isUnpaid: false });
  });
  await of.test.post('/v1/contacts', { name: 'Last' });
  const whole = join(folder, 'mail.ndjson');
  await exportWorkspace(of.id, whole);
  const [head, ...rows] = (await readFile(whole, 'utf8')).trimEnd().split('\n');
  const trailer = JSON.parse(rows.pop() as string);
  const kept = rows.map((line) => JSON.parse(line)).filter(({ pk }) => pk !== ':test#ids');
  expect(kept.filter(({ pk }) => pk.endsWith('#quota'))).toEqual([]);
  const quota = { pk: ':test#quota', sk: `${runAt.slice(0, 10)}#emails`, used: -1e9 };
  const endless = { pk: ':test#webhook-fan-out', sk: sortableId(1), id: 1, doneTo: 0, upTo: 2 ** 39, at: runAt, v: 1 };
  const lines = [...kept, quota, endless, { pk: ':test#ids', sk: 'ids', contact: 0 }];
  const job = kept.find(({ pk, id }) => pk === ':test#job' && id === reply.id);
  Object.assign(job, { paid: { day: runAt.slice(0, 10), amount: 1e9 } });
  const forged = join(folder, 'forged.ndjson');
  const text = [head, ...lines.map((row) => JSON.stringify(row)), JSON.stringify({ ...trailer, rows: lines.length })];
  await writeFile(forged, `${text.join('\n')}\n`);
  const id = await freshId();
  const to = { workspaceId: id, env: 'test' } as const;
  await importWorkspace(id, forged);
  expect(await inTable(id, 'test#webhook-fan-out')).toEqual([]);
  const moved = await clientOf(id, 'test');
  const taken = await transact(to, operator, (tx) => tx.get(Jobs, { id: reply.id }));
  expect([taken.isUnpaid, taken.paid]).toEqual([true, undefined]);
  expect(await left(to, 'emails')).toBe(env('QUOTA_EMAILS_PER_DAY'));
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
  expect(await left(to, 'emails')).toBe(4);
});

test('every kind of row that lib declares is known to an import', async () => {
  const sources = await Promise.all(globSync('lib/**/*.ts').map((path) => readFile(path, 'utf8')));
  const declared = sources.flatMap((text) =>
    [...text.matchAll(/ = entity\(\{[^}]*?name: '([^']+)'/g)].map(([, of]) => of),
  );
  expect(declared.length).toBeGreaterThan(30);
  expect(entities.map(({ name }) => name).sort()).toEqual(
    declared.filter((of) => of !== 'key' && of !== 'saga').sort(),
  );
});

test('whatever lies in a workspace beside its entities, an import takes what an export has written', async () => {
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
  };
  const own = Object.values(rowKeys).filter(([pk]) => /^\{(scope|tenant|workspace)\}#/.test(pk));
  expect(own.length).toBeGreaterThanOrEqual(10);
  const places = own.map(([pk, sk]) => ({ pk: filled(pk, blanks), sk: sk.replaceAll(blank, '1') }));
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
  expect(kept.sort()).toEqual([':test#count/met/2026-11-22', ':test#ids', ':test#sequence']);
  expect(lines.join()).not.toContain('novelt');
  await expect(importWorkspace(await freshId(), strange)).resolves.toBeDefined();
});

test('what a crashed request left of a large change, and what was spent today, is not exported, and passed over in older files', async () => {
  const id = await freshId();
  const rows = [
    { sk: '0000000000', piece: '{}', expiresAtSeconds: 4_000_000_000, pk: 'live#plan/a' },
    { sk: '2026-11-22#emails', used: 3, expiresAtSeconds: 4_000_000_000, pk: 'live#quota' },
  ];
  await writeRows(rows.map((row) => ({ PutRequest: { Item: { ...row, pk: `${id}:${row.pk}` } } })));
  const without = join(folder, 'without.ndjson');
  await exportWorkspace(id, without);
  const lines = (await readFile(without, 'utf8')).trimEnd().split('\n');
  expect(lines.join()).not.toMatch(/#plan|#quota/);
  const { rows: count, counts } = JSON.parse(lines.at(-1) as string);
  const older = [
    ...lines.slice(0, -1),
    ...rows.map((row) => JSON.stringify({ ...row, pk: `:${row.pk}` })),
    JSON.stringify({ rows: count + rows.length, counts }),
  ];
  await writeFile(without, `${older.join('\n')}\n`);
  const moved = await freshId();
  await importWorkspace(moved, without);
  expect([...(await inTable(moved, 'live#plan/a')), ...(await inTable(moved, 'live#quota'))]).toEqual([]);
});

test('a workspace of which rows are set aside is not exported without them', async () => {
  const id = await freshId();
  const row = { pk: `${id}:live#webhook/1/delivery`, sk: '0000000001' };
  await writeRows([{ PutRequest: { Item: { ...row, status: 'unheard of' } } }]);
  await setAside(row, 1, new Error('a reason'));
  const target = join(folder, 'aside.ndjson');
  await expect(exportWorkspace(id, target)).rejects.toThrow('1 rows of the workspace are set aside');
  await expect(readFile(target)).rejects.toThrow('ENOENT');
  await discard(`${row.pk}/${row.sk}`);
  await exportWorkspace(id, target);
});

test('a workspace that there is not cannot be exported, and leaves no file', async () => {
  const none = join(folder, 'none.ndjson');
  await expect(exportWorkspace(4_000_000, none)).rejects.toThrow('not found');
  await expect(readFile(none)).rejects.toThrow('ENOENT');
});
