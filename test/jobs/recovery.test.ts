import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { openTelegram } from '#lib/channels/telegram/sender.ts';
import { dayMs, fromNow, hourMs, minuteMs, secondMs, shifted } from '#lib/core/clock.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { Accounts } from '#lib/entities/account.ts';
import { Jobs, type StoredJob } from '#lib/entities/job.ts';
import { connectAccount } from '#lib/messages/accounts/change.ts';
import { acquire, type Lease, release } from '#lib/messages/accounts/sender.ts';
import { setAccountState } from '#lib/messages/accounts/store.ts';
import { createJob } from '#lib/messages/jobs/store.ts';
import { keyOf } from '#lib/table/entity.ts';
import { type Row, readRows, writeRows } from '#lib/table/rows.ts';
import { transact } from '#lib/table/transact.ts';
import { drainAccount } from '#lib/transport/sending/drain.ts';
import { between } from '#test/between.ts';
import { type Client, eventually } from '#test/client.ts';
import { newAccount } from '#test/telegram/line.ts';
import { newWorkspace } from '#test/workspace.ts';

let live: Client;
let tenant: Tenant;

beforeAll(async () => {
  const workspace = await newWorkspace();
  live = workspace.live;
  tenant = { workspaceId: workspace.id, env: 'live' };
});

/** A job as it would be after something that takes long or kills. */
const newJob = (accountId: number, change: (job: StoredJob) => Partial<StoredJob> = () => ({})) =>
  transact(tenant, operator, async (tx) => {
    const job = await createJob(tx, {
      channel: 'telegram',
      accountId,
      contactId: null,
      recipient: '1',
      target: { telegramUserId: 1 },
      text: 'Hi',
      source: 'panel',
    });
    return tx.update(Jobs, { ...job, ...change(job) });
  });

const settled = (id: number, timeoutMs?: number) =>
  eventually(
    async () => {
      const { body } = await live.get(`/v1/jobs/${id}`);
      return body.status !== 'queued' && body;
    },
    `job ${id} to be sent or to fail`,
    timeoutMs,
  );

test('a job that cannot be read holds up none of the others of its account', async () => {
  const account = await newAccount(tenant);
  const runAt = fromNow(3_000);
  const soon = () => ({ runAt, queuedFor: runAt });
  const [poison, next] = [await newJob(account.id, soon), await newJob(account.id, soon)];
  const [row] = (await readRows([keyOf(tenant, Jobs, poison)])).values();
  await writeRows([{ PutRequest: { Item: { ...(row as Row), target: 'garbage' } } }]);
  expect(await settled(next.id)).toMatchObject({ status: 'sent' });
  await writeRows([{ PutRequest: { Item: row as Row } }]);
});

test('a job that a sender died with is not sent again, because it may have left', async () => {
  const account = await newAccount(tenant);
  const job = await newJob(account.id, ({ createdAt }) => ({
    claimedUntil: shifted(createdAt, -minuteMs),
    attempts: 1,
    unsettledAttempts: 1,
  }));
  expect(await settled(job.id)).toMatchObject({
    status: 'failed',
    attempts: 1,
    lastError: expect.stringContaining('interrupted'),
    source: 'panel',
  });
  expect((await account.arrived()).requests).toBe(0);
});

test('a job goes out after the lease of a sender that died, although its timer came before', async () => {
  const account = await newAccount(tenant);
  expect(await acquire({ tenant, channel: 'telegram', accountId: account.id }, 6000)).toBeDefined();
  const { id } = await newJob(account.id);
  expect(await settled(id)).toMatchObject({ status: 'sent' });
});

/** An account that was disconnected when. */
async function disconnected(lostAt?: string) {
  const account = await newAccount(tenant);
  const lost = await transact(tenant, operator, async (tx) => {
    const known = setAccountState(tx, await tx.get(Accounts, { id: account.id }), 'disconnected');
    return tx.update(Accounts, { ...known, ...(lostAt && { lostAt }) });
  });
  return { ...account, lostAt: String(lost.lostAt) };
}

test('a job of a disconnected account fails when it has waited for 24 hours, not before', async () => {
  const account = await disconnected(fromNow(-2 * dayMs));
  const young = await newJob(account.id, ({ createdAt }) => ({ queuedFor: shifted(createdAt, hourMs - dayMs) }));
  const old = await newJob(account.id, ({ createdAt }) => ({ queuedFor: shifted(createdAt, -dayMs) }));
  expect(await settled(old.id)).toMatchObject({
    status: 'failed',
    lastError: 'the account was disconnected for 24 hours',
    attempts: 0,
  });
  const runAt = shifted(young.queuedFor, dayMs);
  await eventually(
    async () => (await live.get(`/v1/jobs/${young.id}`)).body.runAt === runAt,
    'the younger one to be put off',
  );
  expect((await live.get(`/v1/jobs/${young.id}`)).body).toMatchObject({ status: 'queued', attempts: 0 });
  expect((await account.arrived()).requests).toBe(0);
});

test('a queue that had waited for days when its account was lost has the 24 hours, too', async () => {
  const account = await disconnected();
  const old = { runAt: fromNow(-minuteMs), queuedFor: fromNow(-3 * dayMs) };
  const { id } = await newJob(account.id, () => old);
  const job = await eventually(async () => {
    const { body } = await live.get(`/v1/jobs/${id}`);
    return (body.status !== 'queued' || body.runAt > fromNow(hourMs)) && body;
  }, 'the job to be put off');
  expect(job).toMatchObject({ status: 'queued', runAt: shifted(account.lostAt, dayMs), attempts: 0 });
  // Banned by the platform meanwhile, it has no other 24 hours.
  const banned = await transact(tenant, operator, async (tx) =>
    setAccountState(tx, await tx.get(Accounts, { id: account.id }), 'banned'),
  );
  expect(banned.lostAt).toBe(account.lostAt);
  await transact(tenant, operator, async (tx) => {
    const known = await tx.get(Accounts, { id: account.id });
    await connectAccount(tx, known, { kind: known.kind, secret: '1:again' });
  });
  expect(await settled(id)).toMatchObject({ status: 'sent' });
});

test.each([
  ['a flood wait ends', () => ({ floodWaitUntil: fromNow(2 * secondMs) }), () => ({})],
  ['the account is connected again', () => ({ state: 'disconnected' as const }), () => ({ state: 'active' as const })],
])('jobs are left due where %s while they are put off one after the other', async (_, blocked, after) => {
  const account = await newAccount(tenant);
  const change = (fields: object) =>
    transact(tenant, operator, async (tx) =>
      tx.update(Accounts, { ...(await tx.get(Accounts, { id: account.id })), ...fields }),
    );
  const old = { runAt: fromNow(dayMs), queuedFor: fromNow(-dayMs) };
  const jobs = [await newJob(account.id, () => old), await newJob(account.id, () => old)];
  await change(blocked());
  let isFirst = true;
  await between(
    async ({ operation, input }, next) => {
      const isOfJob = JSON.stringify(input).includes('#job"');
      if (isFirst && operation === 'GetItem' && isOfJob) {
        isFirst = false;
        await sleep(3 * secondMs);
        await change(after());
      }
      return next();
    },
    () => drainAccount({ tenant, channel: 'telegram', accountId: account.id }, [], openTelegram),
  );
  for (const { id } of jobs) expect((await live.get(`/v1/jobs/${id}`)).body.lastError).toBeNull();
});

test('a due job of a disconnected account fails while a sender holds the account', async () => {
  const account = await disconnected(fromNow(-2 * dayMs));
  const lease = await acquire({ tenant, channel: 'telegram', accountId: account.id }, minuteMs);
  const { id } = await newJob(account.id, ({ createdAt }) => ({ queuedFor: shifted(createdAt, -dayMs) }));
  expect(await settled(id)).toMatchObject({ status: 'failed', attempts: 0 });
  await release(lease as Lease, null);
});

test('a job that has failed for the fifth time has failed for good', async () => {
  const account = await newAccount(tenant);
  await account.react({ status: 502, body: 'Bad Gateway' });
  const { id } = await newJob(account.id, () => ({ attempts: 4 }));
  expect(await settled(id)).toMatchObject({
    status: 'failed',
    attempts: 5,
    lastError: 'Telegram answered 502: no reason given',
  });
});
