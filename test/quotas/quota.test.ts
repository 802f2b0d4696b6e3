import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { dayMs, fromNow, nextDay, now } from '#lib/core/clock.ts';
import { conflict } from '#lib/core/problem.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { WriteConflict } from '#lib/table/change.ts';
import { today } from '#lib/table/daily.ts';
import { remaining, reserve, settle, spend, take, topUp } from '#lib/table/quota.ts';
import { transact } from '#lib/table/transact.ts';
import { newWorkspace } from '#test/workspace.ts';

let workspaceId: number;
beforeAll(async () => {
  workspaceId = (await newWorkspace()).id;
});
afterEach(() => vi.unstubAllEnvs());

const live = (): Tenant => ({ workspaceId, env: 'live' });
const sandbox = (): Tenant => ({ workspaceId, env: 'test' });

test('a unit of work spends with what it pays for, and is refused beyond the quota until midnight in UTC', async () => {
  vi.stubEnv('QUOTA_EMAILS_PER_DAY', '5');
  const mail = (recipients: number[], tenant = live()) =>
    transact(tenant, operator, async (tx) => {
      for (const count of recipients) await spend(tx, 'emails', count);
    });
  // The whole day of a test lies on one side of midnight but for one in a hundred thousand runs.
  await mail([1, 2]);
  expect(await remaining(live(), 'emails')).toBe(2);
  const refusal = await mail([3]).catch((error) => error);
  expect(refusal).toMatchObject({ status: 429, code: 'rate_limited', details: { reason: 'daily_quota' } });
  const secondsLeft = (Date.parse(nextDay()) - now()) / 1000;
  expect(Math.abs(Number(refusal.headers['Retry-After']) - secondsLeft)).toBeLessThan(60);
  await expect(mail([1, 2])).rejects.toMatchObject({ status: 429 });
  expect(await remaining(live(), 'emails')).toBe(2);
  await Promise.all([mail([1]), mail([1])]);
  expect(await remaining(live(), 'emails')).toBe(0);
  await mail([5], sandbox());
  await expect(mail([6], sandbox())).rejects.toMatchObject({ status: 429 });
  vi.stubEnv('QUOTA_EMAILS_PER_DAY', '0');
  await mail([1000]);
  expect(await remaining(live(), 'emails')).toBe(Number.POSITIVE_INFINITY);
});

test('a unit of work that writes nothing gives back what it has spent, and one that runs again spends once', async () => {
  vi.stubEnv('QUOTA_EMAILS_PER_DAY', '5');
  const tenant: Tenant = { workspaceId: (await newWorkspace()).id, env: 'live' };
  let runs = 0;
  await transact(tenant, operator, async (tx) => {
    await spend(tx, 'emails', 2);
    runs += 1;
    if (runs < 4) throw new WriteConflict('by the test');
    // Transactions of all senders would meet in the day's counter.
    expect(tx.isEmpty).toBe(true);
  });
  expect([runs, await remaining(tenant, 'emails')]).toEqual([4, 3]);
  const refused = transact(tenant, operator, async (tx) => {
    tx.requireExists(Contacts, { id: 1_000_000 }, () => conflict('key_revoked', 'gone'));
    await spend(tx, 'emails', 3);
  });
  await expect(refused).rejects.toMatchObject({ status: 409 });
  const failed = transact(tenant, operator, async (tx) => {
    await Promise.all([spend(tx, 'emails', 3), Promise.reject(new Error('of a read beside it'))]);
  });
  await expect(failed).rejects.toThrow('of a read beside it');
  expect(await remaining(tenant, 'emails')).toBe(3);
});

test('a later use is spent from the quota of its own day', async () => {
  vi.stubEnv('QUOTA_EMAILS_PER_DAY', '5');
  const tenant: Tenant = { workspaceId: (await newWorkspace()).id, env: 'live' };
  const mail = (count: number, at: string | null) =>
    transact(tenant, operator, async (tx) => spend(tx, 'emails', count, at));
  const inDays = (days: number) => fromNow(days * dayMs);
  await mail(5, inDays(40));
  const refusal = await mail(1, inDays(40)).catch((error) => error);
  expect(refusal).toMatchObject({ status: 429, message: expect.stringContaining(inDays(40).slice(0, 10)) });
  expect(Math.abs(Number(refusal.headers['Retry-After']) / 86_400 - 40.5)).toBeLessThan(0.6);
  await mail(5, inDays(41));
  await mail(2, null);
  await mail(2, inDays(-3));
  expect(await remaining(tenant, 'emails')).toBe(1);
  await transact(tenant, operator, async (tx) => {
    for (const days of [1, 2, 1, 2, 1]) await spend(tx, 'emails', 1, inDays(days));
  });
  await mail(2, inDays(1));
  await expect(mail(1, inDays(1))).rejects.toMatchObject({ status: 429 });
  await mail(3, inDays(2));
});

test('workers side by side take no more than there is, and give back what they did not use', async () => {
  vi.stubEnv('QUOTA_DELIVERIES_PER_DAY', '25');
  const grants = await Promise.all([1, 2, 3, 4].map(() => take(live(), 'deliveries', 10)));
  expect(grants.reduce((sum, { amount }) => sum + amount, 0)).toBe(25);
  expect((await take(live(), 'deliveries', 10)).amount).toBe(0);
  await settle(live(), 'deliveries', grants.find(({ amount }) => amount === 10) as (typeof grants)[number], 4);
  expect(await remaining(live(), 'deliveries')).toBe(6);
});

test('a grant is made up to what is wanted, and nothing of an earlier day is kept', async () => {
  vi.stubEnv('QUOTA_DELIVERIES_PER_DAY', '30');
  const before = await remaining(sandbox(), 'deliveries');
  const yesterday = { day: '2020-01-01', amount: 5 };
  const grant = await topUp(sandbox(), 'deliveries', yesterday, 10);
  expect(grant).toEqual({ day: today(), amount: 10 });
  expect(await topUp(sandbox(), 'deliveries', grant, 25)).toEqual({ ...grant, amount: 25 });
  expect(await remaining(sandbox(), 'deliveries')).toBe(before - 25);
  expect(await topUp(sandbox(), 'deliveries', grant, 40)).toEqual({ ...grant, amount: 15 });
});

test('an unknown cost reserves what is left of the quota and is corrected afterwards', async () => {
  vi.stubEnv('QUOTA_AGENT_TOKENS_PER_DAY', '100');
  const grant = await reserve(live(), 'agentTokens', 1000);
  await expect(reserve(live(), 'agentTokens', 1)).rejects.toMatchObject({ status: 429 });
  await settle(live(), 'agentTokens', grant, 99);
  await reserve(live(), 'agentTokens', 1);
  await expect(reserve(live(), 'agentTokens', 1)).rejects.toMatchObject({ details: { reason: 'daily_quota' } });
});
