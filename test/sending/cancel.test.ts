import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { commands } from '#infra/admin/commands/key.ts';
import { fromNow, now } from '#lib/core/clock.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { Jobs } from '#lib/entities/job.ts';
import { claimJob } from '#lib/messages/jobs/queue.ts';
import { createJob } from '#lib/messages/jobs/store.ts';
import { keyOf } from '#lib/table/entity.ts';
import { removeRows } from '#lib/table/rows.ts';
import { transact } from '#lib/table/transact.ts';
import { cancelQueuedJobs } from '#lib/transport/sending/cancel.ts';
import { betweenRequests } from '#test/between.ts';
import { type Client, eventually, everyItem } from '#test/client.ts';
import { refusing } from '#test/crash.ts';
import { receiveIn } from '#test/email/raw.ts';
import { newAccount } from '#test/telegram/line.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let accountId: number;
beforeAll(async () => {
  workspace = await newWorkspace();
  accountId = (await newAccount({ workspaceId: workspace.id, env: 'live' })).id;
});

afterEach(() => vi.unstubAllEnvs());

const runAt = fromNow(86_400_000);

const queue = async (client: Client, account = accountId): Promise<number> =>
  (await client.post('/v1/telegram/messages', { accountId: account, telegramUserId: 7, text: 'Hi', runAt })).body.id;

const keyNamed = async (keyId: string) =>
  (await everyItem(workspace.live, '/v1/keys')).find((key) => key.keyId === keyId).id;

test('revoking a key cancels its queued jobs on request, but not one being sent', async () => {
  const of = await workspace.mint();
  const kept = await queue(workspace.live);
  const underWay = await queue(of.client);
  const tenant = { workspaceId: workspace.id, env: 'live' } as const;
  await transact(tenant, operator, async (tx) => {
    const job = await tx.get(Jobs, { id: underWay });
    tx.update(Jobs, { ...job, queuedFor: tx.now });
  });
  expect(await claimJob(tenant, underWay, now() + 60_000)).toBeDefined();
  const messages = await Promise.all(Array.from({ length: 30 }, () => queue(of.client)));
  const { threadId } = await receiveIn(workspace)();
  const { body: reply } = await of.client.post(`/v1/email/threads/${threadId}/replies`, { bodyText: 'Later', runAt });
  const ids = async (query: object) =>
    (await everyItem(workspace.live, '/v1/jobs', { apiKeyId: of.keyId, ...query })).map(({ id }) => id);
  const queued = [...messages, reply.id];
  expect((await ids({ status: 'queued' })).sort()).toEqual([underWay, ...queued].sort());

  const key = await keyNamed(of.keyId);
  const { body: revoked } = await workspace.live.delete(`/v1/keys/${key}`);
  expect(revoked).toEqual({ id: key, keyId: of.keyId, revoked: true, revokedAt: expect.any(String) });
  expect(await ids({ status: 'queued' })).toHaveLength(32);
  const path = `/v1/keys/${key}?cancelQueued=true`;
  expect((await workspace.live.delete(path)).body).toEqual({ ...revoked, canceledJobs: 31 });
  expect(await ids({ status: 'queued' })).toEqual([underWay]);
  expect((await ids({ status: 'failed' })).sort()).toEqual(queued.sort());
  for (const id of [messages[0], reply.id])
    expect((await workspace.live.get(`/v1/jobs/${id}`)).body).toMatchObject({ lastError: 'canceled', attempts: 0 });
  const [mail] = (await workspace.live.get(`/v1/email/threads/${threadId}/messages`)).body.items;
  expect(mail).toMatchObject({ bodyText: 'Later', status: 'failed' });
  expect((await workspace.live.get(`/v1/jobs/${kept}`)).body.status).toBe('queued');
  expect((await workspace.live.delete(path)).body.canceledJobs).toBe(0);
});

test('revoking a key cancels jobs queued by a call that it let in before', async () => {
  const of = await workspace.mint();
  const key = await keyNamed(of.keyId);
  const { body } = await workspace.live.delete(`/v1/keys/${key}?cancelQueued=true`);
  expect(body.canceledJobs).toBe(0);
  const tenant = { workspaceId: workspace.id, env: 'live' } as const;
  const { id } = await transact(tenant, { type: 'api_key', id: of.keyId }, (tx) =>
    createJob(tx, {
      ...{ channel: 'telegram', accountId, contactId: null, recipient: '7', target: { telegramUserId: 7 }, text: 'Hi' },
      ...{ source: 'api', apiKeyId: of.keyId, runAt },
    }),
  );
  expect((await workspace.live.get('/v1/jobs', { apiKeyId: of.keyId, status: 'queued' })).body.items).toHaveLength(1);
  await eventually(
    async () => (await workspace.live.get(`/v1/jobs/${id}`)).body.status === 'failed',
    'its end',
    90_000,
  );
  expect((await workspace.live.get(`/v1/jobs/${id}`)).body).toMatchObject({ lastError: 'canceled', attempts: 0 });
});

test('a live key takes back what a test key has queued', async () => {
  const of = await workspace.mint({ env: 'test' });
  const account = await newAccount({ workspaceId: workspace.id, env: 'test' });
  const id = await queue(of.client, account.id);
  const { body } = await workspace.live.delete(`/v1/keys/${await keyNamed(of.keyId)}?cancelQueued=true`);
  expect(body).toMatchObject({ revoked: true, canceledJobs: 1 });
  expect((await workspace.test.get(`/v1/jobs/${id}`)).body).toMatchObject({ status: 'failed', lastError: 'canceled' });
});

test('an operator revokes a key with what it has queued', async () => {
  const of = await workspace.mint();
  const id = await queue(of.client);
  const revoked = await commands.revoke.run({ keyId: of.keyId, cancelQueued: true });
  expect(revoked).toEqual({ keyId: of.keyId, revokedAt: expect.any(String), canceledJobs: 1 });
  expect((await workspace.live.get(`/v1/jobs/${id}`)).body).toMatchObject({ status: 'failed', lastError: 'canceled' });
});

/** Jobs of a key, by their ids. */
async function queuedBy(tenant: Tenant, apiKeyId: string, count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const job = await transact(tenant, operator, (tx) =>
      createJob(tx, {
        ...{ channel: 'telegram', accountId, contactId: null, recipient: '7', target: { telegramUserId: 7 } },
        ...{ text: 'Hi', source: 'api', apiKeyId, runAt },
      }),
    );
    ids.push(job.id);
  }
  return ids;
}

const cancel = (tenant: Tenant, keyId: string) =>
  transact(tenant, operator, (tx) => cancelQueuedJobs(tx, { keyId, env: 'live' }));

const failedOf = async (keyId: string) =>
  (await everyItem(workspace.live, '/v1/jobs', { apiKeyId: keyId, status: 'failed' })).map(({ id }) => id).toReversed();

test('revoking a key cancels jobs behind an empty page', async () => {
  const tenant: Tenant = { workspaceId: workspace.id, env: 'live' };
  const ids = await queuedBy(tenant, 'emptyPage', 60);
  // The entries of the newest stay, as an engine's fault might leave them.
  await removeRows(ids.slice(30).map((id) => keyOf(tenant, Jobs, { id })));
  // Every page ends after its first look.
  vi.stubEnv('READ_UNITS_PER_LIST', '1');
  await cancel(tenant, 'emptyPage');
  expect(await failedOf('emptyPage')).toEqual(ids.slice(0, 30));
});

test('canceled jobs show at once after the table was out of reach', async () => {
  const tenant: Tenant = { workspaceId: workspace.id, env: 'live' };
  const ids = await queuedBy(tenant, 'outOfReach', 3);
  let writes = 0;
  await betweenRequests(
    async (operation, next) => {
      if (!/^TransactWrite/.test(operation)) return next();
      writes += 1;
      // The first is the commit; of the next the client makes four attempts.
      if (writes > 1 && writes < 6) throw Object.assign(new Error('out of reach'), { name: 'TimeoutError' });
      return next();
    },
    async () => expect(await cancel(tenant, 'outOfReach')).toBe(3),
  );
  expect(writes).toBeGreaterThan(6);
  expect(await failedOf('outOfReach')).toEqual(ids);
});

test('jobs are canceled one by one when the table refuses them together', async () => {
  const tenant: Tenant = { workspaceId: workspace.id, env: 'live' };
  const ids = await queuedBy(tenant, 'oneByOne', 5);
  expect(await refusing(/("apiKeyId":"oneByOne".*){2}/, () => cancel(tenant, 'oneByOne'))).toBe(5);
  expect(await failedOf('oneByOne')).toEqual(ids);
});
