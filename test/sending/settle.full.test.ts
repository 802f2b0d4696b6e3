import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encrypt } from '#lib/aws/secrets.ts';
import { openTelegram } from '#lib/channels/telegram/sender.ts';
import { openTwitter } from '#lib/channels/twitter/sender.ts';
import { fromNow, hourMs, now, shifted, timestamp } from '#lib/core/clock.ts';
import { env } from '#lib/core/env.ts';
import { operator, system, type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { Accounts, type StoredAccount } from '#lib/entities/account.ts';
import { Jobs } from '#lib/entities/job.ts';
import { Senders } from '#lib/entities/sender.ts';
import { createJob, retryJob } from '#lib/messages/jobs/store.ts';
import { readFeed } from '#lib/publishing/feed/feed.ts';
import { dynamodb } from '#lib/table/client.ts';
import { sortableId } from '#lib/table/keys.ts';
import { listAll } from '#lib/table/list.ts';
import { Sagas } from '#lib/table/saga.ts';
import { finishSaga, transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { drainAccount } from '#lib/transport/sending/drain.ts';
import { deliverEmail } from '#lib/transport/sending/mail.ts';
import { mailCompletion } from '#lib/transport/sending/mail-completion.ts';
import { messageCompletion } from '#lib/transport/sending/settle.ts';
import { between } from '#test/between.ts';
import { eventually } from '#test/client.ts';
import { refusing } from '#test/crash.ts';
import { sentWith } from '#test/email/outbox.ts';
import { receiveIn } from '#test/email/raw.ts';
import { sealedByAnother } from '#test/sealed.ts';
import { person, startDataCentre } from '#test/telegram/data-centre.ts';
import { hears, newAccount } from '#test/telegram/line.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let live: Tenant;
beforeAll(async () => {
  workspace = await newWorkspace();
  live = { workspaceId: workspace.id, env: 'live' };
});

/** The job as this process alone may take it: due, but its message is not sent before tomorrow. */
const keepForUs = (tenant: Tenant, id: number) =>
  transact(tenant, operator, async (tx) => {
    const job = await tx.get(Jobs, { id });
    tx.update(Jobs, { ...job, runAt: shifted(tx.now, 86_400_000), queuedFor: shifted(tx.now, -60_000) });
    return job;
  });

const newMessage = async (tenant: Tenant, channel: 'telegram' | 'twitter', accountId: number, userId: number) => {
  const target = channel === 'telegram' ? { telegramUserId: userId } : { twitterUserId: String(userId) };
  const { id } = await transact(tenant, operator, async (tx) => {
    const to = { contactId: null, recipient: String(userId), target };
    const runAt = shifted(tx.now, 86_400_000);
    return createJob(tx, { channel, accountId, ...to, text: 'Hi', source: 'panel', runAt });
  });
  return keepForUs(tenant, id);
};

const newReply = async (bodyText: string) => {
  const { threadId } = await receiveIn(workspace)({ from: 'selma@example.com' });
  const runAt = fromNow(86_400_000);
  const { body } = await workspace.live.post(`/v1/email/threads/${threadId}/replies`, { bodyText, runAt });
  return { threadId, ...(await keepForUs(live, body.id)) };
};

/** Those who had it in hand are dead for long enough. */
async function later(tenant: Tenant, job: { id: number; accountId: number | null }): Promise<void> {
  const past = (name: string, sk: number, UpdateExpression: string, value: unknown) =>
    dynamodb.send('UpdateItem', {
      TableName: env('TABLE_NAME'),
      Key: { pk: `${tenantKey(tenant)}#${name}`, sk: sortableId(sk) },
      UpdateExpression,
      ExpressionAttributeValues: { ':past': value },
    });
  await past('job', job.id, 'SET claimedUntil = :past', fromNow(-1000));
  if (job.accountId !== null) await past('sender', job.accountId, 'SET leaseUntilMs = :past', 0);
}

async function sagaOf(jobId: number) {
  const sagas = await listAll(new UnitOfWork(live, system), Sagas);
  const saga = sagas.find(({ state }) => state['jobId'] === jobId);
  if (!saga) throw new Error('nothing is left to a saga');
  return saga;
}

const jobOf = async (id: number, client = workspace.live) => (await client.get(`/v1/jobs/${id}`)).body;

const drain = (tenant: Tenant, channel: 'telegram' | 'twitter', accountId: number) =>
  drainAccount({ tenant, channel, accountId }, [], channel === 'telegram' ? openTelegram : openTwitter);

const centres: { close(): Promise<unknown> }[] = [];
afterAll(() => Promise.all(centres.map((centre) => centre.close())));

const sandbox = () => ({ ...live, env: 'test' }) as const;

/** The row of a message, which may have the number of its job. */
const messageRow = (id: number) => new RegExp(`/message","sk":"${sortableId(id)}"`);
const anyJob = /"\d+:(live|test)#job"/;

/** As `refusing`, and the process dies before it hands what is left to the saga's worker, which comes half a minute later. */
const dyingRefused = (pattern: RegExp, work: () => Promise<unknown>) =>
  refusing(new RegExp(`${pattern.source}|^(?!.*#job").*#saga"`), work);

/** A message that is due in each channel, and how many have left since. */
const channels = {
  async bot() {
    const account = await newAccount(live);
    const job = await newMessage(live, 'telegram', account.id, 1);
    return { tenant: live, job, left: async () => (await account.arrived()).stored.length };
  },
  async twitter() {
    const account = await newAccount(live, { channel: 'twitter', kind: 'user' });
    const job = await newMessage(live, 'twitter', account.id, 1);
    return { tenant: live, job, left: async () => (await account.arrived()).stored.length };
  },
  async user() {
    const centre = await startDataCentre();
    centres.push(centre);
    const account = await newAccount(live, { kind: 'user', secret: centre.session });
    const job = await newMessage(live, 'telegram', account.id, person.userId);
    await transact(live, operator, async (tx) =>
      tx.update(Jobs, { ...(await tx.get(Jobs, { id: job.id })), target: { username: person.username } }),
    );
    return { tenant: live, job, left: async () => centre.seen.sends };
  },
  async sandbox() {
    const account = await newAccount(sandbox());
    const job = await newMessage(sandbox(), 'telegram', account.id, 1);
    return { tenant: sandbox(), job, left: async () => 0 };
  },
};

test.each([
  { channel: 'bot', left: 1, attempts: 1, times: '' },
  { channel: 'twitter', left: 1, attempts: 1, times: '' },
  // Telegram keeps one of those that carry the same random id.
  { channel: 'user', left: 5, attempts: 5, times: '5 times ' },
  { channel: 'sandbox', left: 0, attempts: 5, times: '5 times ' },
] as const)(
  'a message by $channel whose outcome cannot be written is sent $left times, then fails and says so',
  async (of) => {
    const { tenant, job, left } = await channels[of.channel]();
    const accountId = job.accountId as number;
    for (let round = 0; round < 6; round += 1) {
      await refusing(anyJob, () => drain(tenant, job.channel as 'telegram', accountId)).catch(() => {});
      await later(tenant, job);
    }
    expect(await left()).toBe(of.left);
    await drain(tenant, job.channel as 'telegram', accountId);
    expect(await left()).toBe(of.left);
    expect(await jobOf(job.id, tenant.env === 'live' ? workspace.live : workspace.test)).toMatchObject({
      status: 'failed',
      attempts: of.attempts,
      lastError: `the sender was interrupted ${of.times}while sending: the message may or may not have been delivered`,
    });
  },
);

test('a mail whose outcome cannot be written leaves once more at most, both alike, then fails and says so', async () => {
  const { id } = await newReply('Twice at most');
  for (let round = 0; round < 4; round += 1) {
    await refusing(anyJob, () => deliverEmail(live, id)).catch(() => {});
    await later(live, { id, accountId: null });
  }
  await deliverEmail(live, id);
  const mails = await sentWith('Twice at most');
  expect(mails).toHaveLength(2);
  expect(new Set(mails.map((mail) => /^X-Mail-Id: (.+)$/im.exec(mail)?.[1])).size).toBe(1);
  expect(await jobOf(id)).toMatchObject({
    status: 'failed',
    attempts: 2,
    lastError: 'the sender was interrupted 2 times while sending: the message may or may not have been delivered',
  });
});

test('a sent mail whose follow-up cannot be written is not sent again, and its follow-up is written later', async () => {
  const { id, threadId } = await newReply('Once alone');
  await dyingRefused(/email-thread/, () => deliverEmail(live, id));
  expect(await jobOf(id)).toMatchObject({ status: 'sent', attempts: 1, lastError: null });
  await deliverEmail(live, id);
  expect(await sentWith('Once alone')).toHaveLength(1);
  const messages = async () => (await workspace.live.get(`/v1/email/threads/${threadId}/messages`)).body.items;
  expect((await messages())[0]).toMatchObject({ bodyText: 'Once alone', status: 'queued' });
  await finishSaga(live, mailCompletion.saga, await sagaOf(id));
  expect((await messages())[0]).toMatchObject({ bodyText: 'Once alone', status: 'sent', sentAt: expect.any(String) });
});

test('a message whose conversation cannot be written holds up no other of its account', async () => {
  const account = await newAccount(live);
  const [poison, other] = [
    await newMessage(live, 'telegram', account.id, 1),
    await newMessage(live, 'telegram', account.id, 2),
  ];
  await refusing(messageRow(poison.messageId), () => drain(live, 'telegram', account.id));
  expect((await account.arrived()).stored).toHaveLength(2);
  expect(await jobOf(poison.id)).toMatchObject({ status: 'sent', attempts: 1 });
  expect(await jobOf(other.id)).toMatchObject({ status: 'sent', attempts: 1 });
});

test('a provider’s error is shortened and cleaned of the token, and its wait ten years at most', async () => {
  const account = await newAccount(live);
  const description = `\u0000${account.token}\n${'x'.repeat(300_000)}`;
  const job = await newMessage(live, 'telegram', account.id, 1);
  await account.react(
    { status: 400, body: { ok: false, description } },
    { status: 429, body: { ok: false, description: 'Too Many Requests', parameters: { retry_after: 1e15 } } },
  );
  await drain(live, 'telegram', account.id);
  const { status, lastError } = await jobOf(job.id);
  expect(status).toBe('failed');
  expect(lastError).toMatch(/^Telegram answered 400: … x+$/);
  expect([...lastError]).toHaveLength(500);
  const waiting = await newMessage(live, 'telegram', account.id, 1);
  await drain(live, 'telegram', account.id);
  const { runAt, attempts } = await jobOf(waiting.id);
  expect(attempts).toBe(0);
  expect(Math.abs(Date.parse(runAt) - now() - 3_650 * 86_400_000)).toBeLessThan(600_000);
});

test.each([
  ['InvalidCiphertextException', () => encrypt('another', { account: 'another' })],
  ['IncorrectKeyException', sealedByAnother],
])('a message of an account whose secret cannot be read (%s) uses up its attempts', async (name, sealed) => {
  const account = await newAccount(live);
  const { id } = await newMessage(live, 'telegram', account.id, 1);
  const secret = await sealed();
  await transact(live, operator, async (tx) => {
    tx.update(Accounts, { ...(await tx.get(Accounts, { id: account.id })), secret });
  });
  await drain(live, 'telegram', account.id);
  expect(await jobOf(id)).toMatchObject({
    status: 'queued',
    attempts: 1,
    lastError: `the account cannot be opened (${name})`,
  });
});

test('an account with a long pause between its messages is given free until then', async () => {
  const account = await newAccount(live, { pacing: { gapMs: 10_000 } });
  const jobs = [await newMessage(live, 'telegram', account.id, 1), await newMessage(live, 'telegram', account.id, 2)];
  await Promise.all([1, 2].map((telegramUserId) => hears(live, account.id, { telegramUserId })));
  const startedAt = timestamp();
  await drain(live, 'telegram', account.id);
  // Who comes meanwhile opens nothing.
  await drainAccount({ tenant: live, channel: 'telegram', accountId: account.id }, [], () => {
    throw new Error('opened for nothing');
  });
  expect(await Promise.all(jobs.map(async ({ id }) => (await jobOf(id)).status))).toEqual(['sent', 'queued']);
  const sender = await new UnitOfWork(live, system).find(Senders, { id: account.id });
  expect(sender?.leaseUntilMs).toBe(0);
  expect([shifted(startedAt, 9_000) <= (sender?.resumeAt ?? ''), (sender?.resumeAt ?? '~') <= fromNow(10_000)]).toEqual(
    [true, true],
  );
  await eventually(
    async () => (await jobOf(jobs[1]?.id as number)).status === 'sent',
    'the other one to leave in its turn',
    30_000,
  );
});

test.each(['AccessDeniedException', 'DisabledException', 'TypeError'])(
  'a failure of ours (%s) is reported to the queue and counts no attempt',
  async (name) => {
    const account = await newAccount(live);
    const { id } = await newMessage(live, 'telegram', account.id, 1);
    const place = { tenant: live, channel: 'telegram' as const, accountId: account.id };
    const refused = Object.assign(new Error('refused'), { name });
    await expect(drainAccount(place, [], () => Promise.reject(refused))).rejects.toBe(refused);
    expect(await jobOf(id)).toMatchObject({ status: 'queued', attempts: 0, lastError: null });
    await drain(live, 'telegram', account.id);
    expect(await jobOf(id)).toMatchObject({ status: 'sent', attempts: 1 });
  },
);

test.each([
  { status: 429, body: { ok: false, parameters: { retry_after: 600 } }, kept: { status: 'flood_wait' } },
  { status: 401, body: { ok: false, description: 'Unauthorized' }, kept: { status: 'disconnected' } },
])('an account that answers $status sends nothing else, although that could not be written at once', async (of) => {
  const account = await newAccount(live);
  const [first, next] = [
    await newMessage(live, 'telegram', account.id, 1),
    await newMessage(live, 'telegram', account.id, 2),
  ];
  await account.react({ status: of.status, body: of.body });
  // The message and its account together.
  const both = /#job".*"account\.(flood_wait|status_changed)"|"account\.(flood_wait|status_changed)".*#job"/;
  await refusing(both, () => drain(live, 'telegram', account.id));
  expect((await account.arrived()).requests).toBe(1);
  expect((await workspace.live.get(`/v1/telegram/accounts/${account.id}`)).body).toMatchObject(of.kept);
  for (const { id } of [first, next]) expect(await jobOf(id)).toMatchObject({ status: 'queued', attempts: 0 });
});

test('a completion left to a saga is not repeated after the message was retried and sent', async () => {
  const account = await newAccount(live);
  const { id, messageId } = await newMessage(live, 'telegram', account.id, 1);
  await account.react({ status: 400, body: { ok: false, description: 'chat not found' } });
  await dyingRefused(messageRow(messageId), () => drain(live, 'telegram', account.id));
  expect(await jobOf(id)).toMatchObject({ status: 'failed' });
  const saga = await sagaOf(id);
  await transact(live, operator, (tx) => retryJob(tx, id, 'telegram'));
  await eventually(async () => (await jobOf(id)).status === 'sent', `job ${id} to be sent`);
  await finishSaga(live, messageCompletion.saga, saga);
  // Events are published in their order.
  const last = await newMessage(live, 'telegram', account.id, 2);
  await drain(live, 'telegram', account.id);
  const events = await eventually(async () => {
    const { items } = await readFeed(new UnitOfWork(live, system), 0, 1000);
    const all = items.map(({ body }) => JSON.parse(body));
    return all.some(({ data }) => data.job_id === String(last.id)) && all;
  }, 'the events of the last message');
  const created = events.filter(({ data }) => data.job_id === String(id));
  expect(created.map(({ event }) => event).sort()).toEqual(['job.completed', 'job.completed', 'message.created']);
});

test('a sender whose clock was an hour ahead holds up the next one no longer than the pace', async () => {
  const account = await newAccount(live, { pacing: { peerGapMs: 20, gapMs: 10, perMinute: 20 } });
  const first = await newMessage(live, 'telegram', account.id, 1);
  await drain(live, 'telegram', account.id);
  const ahead = now() + hourMs;
  await transact(live, operator, async (tx) => {
    const sender = await tx.get(Senders, { id: account.id });
    tx.update(Senders, { ...sender, pace: { peers: { 1: ahead }, sends: [ahead] } });
  });
  const next = await newMessage(live, 'telegram', account.id, 1);
  await drain(live, 'telegram', account.id);
  for (const { id } of [first, next]) expect(await jobOf(id)).toMatchObject({ status: 'sent' });
});

test.each<[string, Partial<StoredAccount>]>([
  ['is disconnected', { state: 'disconnected' }],
  ['is slowed down', { pacing: { peerGapMs: 20, gapMs: 3_600_000, perMinute: 20 } }],
  ['has sent enough for its day', { dailyLimit: 2 }],
])('an account that %s sends no more of what was due, though a sender is at it', async (_, change) => {
  const account = await newAccount(live, { pacing: { peerGapMs: 20, gapMs: 400, perMinute: 20 } });
  for (let userId = 1; userId <= 12; userId += 1) await newMessage(live, 'telegram', account.id, userId);
  const left = async () => (await account.arrived()).stored.length;
  const draining = drain(live, 'telegram', account.id);
  await eventually(async () => (await left()) >= 2, 'two to leave');
  await transact(live, operator, async (tx) =>
    tx.update(Accounts, { ...(await tx.get(Accounts, { id: account.id })), ...change }),
  );
  const before = await left();
  await draining;
  // Some had begun, or begin within a second.
  expect((await left()) - before).toBeLessThanOrEqual(4);
});

test('a queue of which nothing can be taken is left alone for a while', async () => {
  const account = await newAccount(live);
  const { id } = await newMessage(live, 'telegram', account.id, 1);
  const Key = { pk: `${tenantKey(live)}#job`, sk: sortableId(id) };
  let claims = 0;
  await between(
    async ({ operation, input }, next) => {
      if (operation !== 'UpdateItem') return next();
      claims += 1;
      if (!isDeepStrictEqual((input as { Key?: object }).Key, Key)) return next();
      throw Object.assign(new Error('another has it'), { name: 'ConditionalCheckFailedException' });
    },
    () => drain(live, 'telegram', account.id),
  );
  // The account and the message, once each.
  expect(claims).toBe(2);
});
