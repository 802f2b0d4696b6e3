import { beforeAll, expect, test } from 'vitest';
import { dayMs, fromNow, monthOf, now, secondMs } from '#lib/core/clock.ts';
import { system } from '#lib/core/tenant.ts';
import { Jobs } from '#lib/entities/job.ts';
import { summariseJobs } from '#lib/messages/jobs/summary.ts';
import { indexPartition } from '#lib/table/entity.ts';
import { sortableId } from '#lib/table/keys.ts';
import { putRows } from '#lib/table/rows.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { type Client, eventually, everyItem } from '#test/client.ts';
import { rowsRead } from '#test/rows.ts';
import { newAccount } from '#test/telegram/line.ts';
import { newWorkspace } from '#test/workspace.ts';

let sandbox: Client;
let telegram: number;
let twitter: number;
let contactId: number;
/** Three sent, one failed and two waiting, in order of creation. */
let ids: number[];

const later = new Date(now() + 86_400_000).toISOString();

beforeAll(async () => {
  const workspace = await newWorkspace();
  sandbox = workspace.test;
  const tenant = { workspaceId: workspace.id, env: 'test' as const };
  telegram = (await newAccount(tenant)).id;
  twitter = (await newAccount(tenant, { channel: 'twitter', kind: 'user' })).id;
  contactId = (await sandbox.post('/v1/contacts', { username: 'gina' })).body.id;
  ids = [];
  for (const [path, body] of [
    ['telegram', { accountId: telegram, contactId }],
    ['telegram', { accountId: telegram, username: 'someone' }],
    ['twitter', { accountId: twitter, username: 'someone' }],
    ['telegram', { accountId: telegram, username: 'test_fail' }],
    ['telegram', { accountId: telegram, contactId, runAt: later }],
    ['twitter', { accountId: twitter, twitterUserId: '7', runAt: later }],
  ] as const) {
    ids.push((await sandbox.post(`/v1/${path}/messages`, { text: 'Hi', ...body })).body.id);
  }
  await eventually(async () => (await sandbox.get('/v1/jobs/summary')).body.queued === 2, 'the due jobs to be done');
});

const idsOf = async (query: Record<string, string | number>, path = '/v1/jobs') =>
  (await everyItem(sandbox, path, { limit: 2, ...query })).map(({ id }) => ids.indexOf(id));

test('the job monitor lists the jobs of every channel, newest first, by any filter', async () => {
  expect(await idsOf({})).toEqual([5, 4, 3, 2, 1, 0]);
  expect(await idsOf({ channel: 'twitter' })).toEqual([5, 2]);
  expect(await idsOf({ status: 'queued' })).toEqual([5, 4]);
  expect(await idsOf({ status: 'failed' })).toEqual([3]);
  expect(await idsOf({ accountId: telegram, status: 'sent' })).toEqual([1, 0]);
  expect(await idsOf({ contactId })).toEqual([4, 0]);
  expect(await idsOf({ source: 'api', since: later })).toEqual([5, 4]);
  expect(await idsOf({ until: new Date(now()).toISOString() })).toEqual([3, 2, 1, 0]);
  expect(await idsOf({ sequenceId: 1 })).toEqual([]);
  await sandbox.get('/v1/jobs', { status: 'gone' }, 400);
});

test('the job monitor lists the messages of Telegram alone', async () => {
  expect(await idsOf({}, '/v1/telegram/messages')).toEqual([4, 3, 1, 0]);
  expect(await idsOf({ status: 'sent' }, '/v1/telegram/messages')).toEqual([1, 0]);
  expect(await idsOf({ accountId: twitter }, '/v1/telegram/messages')).toEqual([]);
  const { body: listed } = await sandbox.get('/v1/telegram/messages', { limit: 1 });
  const { body: shown } = await sandbox.get(`/v1/telegram/messages/${ids[4]}`);
  expect(listed).toEqual({ items: [shown], nextCursor: ids[4], hasMore: true });
});

test('the job monitor sums up what waits and what was done, in all and by account', async () => {
  const { body } = await sandbox.get('/v1/jobs/summary');
  expect(body).toEqual({
    queued: 2,
    sent: 3,
    failed: 1,
    oldestQueuedAt: (await sandbox.get(`/v1/jobs/${ids[4]}`)).body.createdAt,
    byAccount: [
      { channel: 'telegram', accountId: telegram, queued: 1, sent: 2, failed: 1 },
      { channel: 'twitter', accountId: twitter, queued: 1, sent: 1, failed: 0 },
    ],
  });
  const soon = fromNow(2 * secondMs);
  for (const since of [later, soon])
    expect((await sandbox.get('/v1/jobs/summary', { since })).body).toMatchObject({ queued: 2, sent: 0, failed: 0 });
});

test('a summary reads nothing of its first day that was before it', async () => {
  const { id: workspaceId } = await newWorkspace();
  const tenant = { workspaceId, env: 'test' as const };
  const day = fromNow(-dayMs).slice(0, 10);
  const sentAt = (hour: string) => (_: unknown, id: number) => {
    const at = `${day}T${hour}:00:00Z`;
    const key = { pk: indexPartition(tenant, Jobs, { month: monthOf(day) }), sk: `${at}#${sortableId(id)}` };
    return { ...key, at, channel: 'telegram', accountId: 7, status: 'sent' };
  };
  await putRows([...Array.from({ length: 90 }, sentAt('11')), ...Array.from({ length: 5 }, sentAt('12'))]);
  let summary: unknown;
  const rows = await rowsRead(async () => {
    summary = await summariseJobs(new UnitOfWork(tenant, system), `${day}T12:00:00Z`);
  });
  expect(summary).toMatchObject({ sent: 5, failed: 0, queued: 0 });
  expect(rows).toBeLessThan(10);
});

test('the job monitor counts exactly with twenty senders at once', async () => {
  const tenant = (await sandbox.get('/v1/me')).body.id as number;
  const account = await newAccount({ workspaceId: tenant, env: 'test' });
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      sandbox.post('/v1/telegram/messages', { accountId: account.id, username: `user_${n}`, text: 'Hi', runAt: later }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(202));
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(20);
  expect((await sandbox.get(`/v1/telegram/accounts/${account.id}`)).body.queuedCount).toBe(20);
  await Promise.all(answers.map(({ body }) => sandbox.post(`/v1/telegram/messages/${body.id}/cancel`)));
  expect((await sandbox.get(`/v1/telegram/accounts/${account.id}`)).body.queuedCount).toBe(0);
});
