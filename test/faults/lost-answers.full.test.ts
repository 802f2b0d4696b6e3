import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { Accounts } from '#lib/entities/account.ts';
import { Tags } from '#lib/entities/tag.ts';
import { type Claim, claim, keepRefusal } from '#lib/http/idempotency.ts';
import { acquire } from '#lib/messages/accounts/sender.ts';
import { setAccountState } from '#lib/messages/accounts/store.ts';
import { claimJob } from '#lib/messages/jobs/queue.ts';
import { createJob } from '#lib/messages/jobs/store.ts';
import { transact } from '#lib/table/transact.ts';
import { betweenRequests } from '#test/between.ts';
import { newAccount } from '#test/telegram/line.ts';
import { newWorkspace } from '#test/workspace.ts';

let tenant: Tenant;

beforeAll(async () => {
  const { id } = await newWorkspace();
  tenant = { workspaceId: id, env: 'live' };
});

/** The first write reaches the table, its answer does not reach us: the SDK sends it again. */
async function losingOneAnswer<Result>(work: () => Promise<Result>): Promise<Result> {
  let lost = 0;
  const result = await betweenRequests(async (operation, next) => {
    const answer = await next();
    if (lost > 0 || !/^(Put|Update|TransactWrite)/.test(operation)) return answer;
    lost += 1;
    throw Object.assign(new Error('the connection broke'), { name: 'TimeoutError' });
  }, work);
  expect(lost).toBe(1);
  return result;
}

test('a call holds its Idempotency-Key although the answer to its claim was lost', async () => {
  const request = { keyId: 'k', method: 'POST', path: '/v1/contacts', body: {}, timeoutSeconds: 10 };
  const key = randomUUID();
  expect(await losingOneAnswer(() => claim(tenant, key, request))).toEqual({ claim: expect.anything() });
  await expect(claim(tenant, key, request)).rejects.toMatchObject({
    body: { details: { reason: 'idempotency_in_progress' } },
  });
});

test('a refusal is kept although the answer to its keeping was lost', async () => {
  const request = { keyId: 'k', method: 'POST', path: '/v1/deals', body: {}, timeoutSeconds: 10 };
  const key = randomUUID();
  const claimed = await claim(tenant, key, request);
  const refusal = { status: 404, body: '{}', headers: {} };
  await losingOneAnswer(() => keepRefusal((claimed as { claim: Claim }).claim, refusal));
  expect(await claim(tenant, key, request)).toMatchObject({ replay: { status: 404 } });
});

test('a sender holds its account although the answer to its claim was lost', async () => {
  const { id: accountId } = await newAccount(tenant);
  const place = { tenant, channel: 'telegram' as const, accountId };
  expect(await losingOneAnswer(() => acquire(place, 60_000))).toMatchObject({ accountId, owner: expect.any(String) });
  expect(await acquire(place, 60_000)).toBeUndefined();
});

test('a message is not taken for interrupted because the answer to its claim was lost', async () => {
  const { id: accountId } = await newAccount(tenant);
  const job = await transact(tenant, operator, async (tx) => {
    // Nobody else sends it.
    setAccountState(tx, await tx.get(Accounts, { id: accountId }), 'disconnected');
    const target = { telegramUserId: 1 };
    const message = { contactId: null, recipient: '1', target, text: 'Hi', source: 'panel' as const };
    return createJob(tx, { channel: 'telegram', accountId, ...message });
  });
  const untilMs = Date.now() + 60_000;
  expect(await losingOneAnswer(() => claimJob(tenant, job.id, untilMs))).toMatchObject({
    id: job.id,
    unsettledAttempts: 1,
  });
  expect(await claimJob(tenant, job.id, untilMs)).toBeUndefined();
});

test('the next state of a row is written once although the answer to it was lost', async () => {
  const tag = { id: 1, name: 'Tag', color: '#000000', contactCount: 0 };
  await transact(tenant, operator, async (tx) => tx.create(Tags, tag));
  let runs = 0;
  const rename = () =>
    transact(tenant, operator, async (tx) => {
      runs += 1;
      const { contactCount, ...read } = await tx.get(Tags, { id: 1 });
      tx.update(Tags, { ...read, contactCount: contactCount + 1 });
    });
  await losingOneAnswer(rename);
  expect(runs).toBe(1);
  expect(await transact(tenant, operator, (tx) => tx.get(Tags, { id: 1 }))).toEqual({ ...tag, contactCount: 1 });
});
