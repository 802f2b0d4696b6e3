import { beforeAll, expect, test } from 'vitest';
import { fromNow } from '#lib/core/clock.ts';
import { operator, system, type Tenant } from '#lib/core/tenant.ts';
import { updateAccount } from '#lib/messages/accounts/change.ts';
import { readFeed } from '#lib/publishing/feed/feed.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { type Client, eventually } from '#test/client.ts';
import { because } from '#test/refusals.ts';
import { hears, newAccount } from '#test/telegram/line.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let live: Client;
let tenant: Tenant;

beforeAll(async () => {
  workspace = await newWorkspace();
  live = workspace.live;
  tenant = { workspaceId: workspace.id, env: 'live' };
});

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
const inDays = (days: number) => fromNow(days * 86_400_000);

/** The job once it has left the status. */
const settled = (id: number, client = live) =>
  eventually(async () => {
    const { body } = await client.get(`/v1/telegram/messages/${id}`);
    return body.status === 'queued' ? false : body;
  }, `job ${id} to be sent or to fail`);

test('queueing reaches usernames that are special in JavaScript, and those after them', async () => {
  const sandbox: Tenant = { ...tenant, env: 'test' };
  const { id: accountId } = await newAccount(sandbox);
  for (const username of ['constructor', '__proto__', 'anna']) {
    const { body } = await workspace.test.post('/v1/telegram/messages', { accountId, username, text: 'Hi' });
    expect([username, (await settled(body.id, workspace.test)).status]).toEqual([username, 'sent']);
  }
});

test('queueing answers 202 with the seven fields and the Location of the job', async () => {
  const account = await newAccount(tenant);
  const { contactId } = await hears(tenant, account.id, { telegramUserId: 101, username: 'anna' });
  const runAt = inDays(1);
  const answer = await live.post('/v1/telegram/messages', { accountId: account.id, contactId, text: ' Hi ', runAt });
  expect(answer.status).toBe(202);
  expect(answer.headers['location']).toBe(`/v1/telegram/messages/${answer.body.id}`);
  expect(answer.body).toEqual({
    id: expect.any(Number),
    accountId: account.id,
    status: 'queued',
    runAt,
    createdAt: isoTime,
    updatedAt: null,
    lastError: null,
  });
  expect((await live.get(`/v1/telegram/messages/${answer.body.id}`)).body).toEqual(answer.body);
  expect((await live.get(`/v1/jobs/${answer.body.id}`)).body).toEqual({
    ...answer.body,
    channel: 'telegram',
    contactId,
    recipient: '@anna',
    textPreview: 'Hi',
    attempts: 0,
    maxAttempts: 5,
    source: 'api',
    sequenceId: null,
    apiKeyId: expect.stringMatching(/^[A-Za-z0-9]{12}$/),
    completedAt: null,
  });
  expect((await live.get(`/v1/telegram/accounts/${account.id}`)).body).toMatchObject({
    queuedCount: 1,
    sentToday: 0,
  });
});

test('queueing refuses no recipient, no text, too much text or a time over a year ahead', async () => {
  const { id: accountId } = await newAccount(tenant);
  const send = async (body: object) => {
    const answer = await live.post('/v1/telegram/messages', { accountId, text: 'Hi', ...body });
    return [answer.status, answer.body.details?.fields?.[0]?.code ?? answer.body.details?.reason];
  };
  expect(await send({})).toEqual([400, 'required']);
  expect(await send({ username: '@' })).toEqual([400, 'required']);
  expect(await send({ username: 'anna', text: ' ' })).toEqual([400, 'required']);
  expect(await send({ username: 'anna', text: 'x'.repeat(4001) })).toEqual([400, 'too_long']);
  expect(await send({ username: 'anna', runAt: inDays(366) })).toEqual([400, 'out_of_range']);
  expect(await send({ username: 'anna', accountId: null })).toEqual([400, 'required']);
  expect(await send({ username: 'anna', accountId: 999_999 })).toEqual([404, undefined]);
  expect(await send({ contactId: 999_999 })).toEqual([404, undefined]);
  const contact = await live.post('/v1/contacts', { platform: 'twitter', username: 'anna' });
  expect(await send({ contactId: contact.body.id })).toEqual([400, 'no_telegram_identity']);
  const nameless = await live.post('/v1/contacts', { name: 'Anna' });
  expect(await send({ contactId: nameless.body.id })).toEqual([400, 'no_telegram_identity']);
});

test('queueing takes the most certain of several recipients and names the others', async () => {
  const { id: accountId } = await newAccount(tenant);
  const answer = await live.post('/v1/telegram/messages', {
    accountId,
    telegramUserId: 555,
    username: '@anna',
    text: 'Hi',
    runAt: inDays(1),
    colour: 'red',
    buttons: [[{ text: 'Go', url: 'https://example.com/', colour: 1 }], [{ text: 'No', data: 'no', icon: 2 }]],
  });
  expect(answer.status).toBe(202);
  const ignored = 'colour,buttons[0][0].colour,buttons[1][0].icon,username';
  expect(answer.headers['x-ignored-parameters']).toBe(ignored);
  expect((await live.get(`/v1/jobs/${answer.body.id}`)).body.recipient).toBe('555');
});

test('queueing hides the jobs and accounts of another workspace and of the other channel', async () => {
  const other = await newWorkspace();
  const { id: accountId } = await newAccount(tenant);
  const twitter = await newAccount(tenant, { channel: 'twitter', kind: 'user' });
  const { body } = await live.post('/v1/telegram/messages', {
    accountId,
    username: 'anna',
    text: 'Hi',
    runAt: inDays(1),
  });
  await other.live.get(`/v1/telegram/messages/${body.id}`, undefined, 404);
  await live.get(`/v1/twitter/messages/${body.id}`, undefined, 404);
  await live.get(`/v1/telegram/accounts/${twitter.id}`, undefined, 404);
  const foreign = { accountId: twitter.id, username: 'anna', text: 'Hi' };
  await live.post('/v1/telegram/messages', foreign, 404);
});

test('the sender delivers to the chat and tells the job, the conversation and the account', async () => {
  const account = await newAccount(tenant);
  const { contactId } = await hears(tenant, account.id, { telegramUserId: 201, username: 'berta' });
  const { body: job } = await live.post('/v1/telegram/messages', {
    accountId: account.id,
    contactId,
    text: 'Hi Berta',
  });
  expect(await settled(job.id)).toEqual({ ...job, status: 'sent', updatedAt: isoTime });
  expect((await account.arrived()).stored).toEqual([{ to: '201', text: 'Hi Berta', at: expect.any(Number) }]);
  expect((await live.get(`/v1/jobs/${job.id}`)).body).toMatchObject({ attempts: 1, completedAt: isoTime });
  const { body: messages } = await live.get(`/v1/contacts/${contactId}/messages`);
  expect(messages.items).toEqual([
    {
      id: expect.any(Number),
      contactId,
      channel: 'telegram',
      direction: 'outbound',
      body: 'Hi Berta',
      threadId: null,
      accountId: account.id,
      jobId: job.id,
      status: 'sent',
      isRead: true,
      attachments: [],
      entities: [],
      replyToMessageId: null,
      forwardedFrom: null,
      data: null,
      sentAt: isoTime,
      editedAt: null,
      readAt: null,
      createdAt: isoTime,
    },
    expect.objectContaining({ direction: 'inbound', body: 'Hello', status: 'received', isRead: false, jobId: null }),
  ]);
  expect((await live.get(`/v1/telegram/accounts/${account.id}`)).body).toEqual({
    id: account.id,
    kind: 'bot',
    name: 'Bot',
    username: null,
    phoneMasked: null,
    status: 'active',
    floodWaitUntil: null,
    dailyLimit: 1000,
    sentToday: 1,
    queuedCount: 0,
    inbound: { mode: 'off', status: 'off', lastReceivedAt: null, lastError: null },
    pacing: { peerGapMs: 1000, gapMs: 40, perMinute: null, newPeersPerDay: null },
    createdAt: isoTime,
  });
});

test('the sender sends nothing before its time, and soon after it', async () => {
  const account = await newAccount(tenant);
  const runAt = fromNow(4000);
  const { body } = await live.post('/v1/telegram/messages', {
    accountId: account.id,
    telegramUserId: 1,
    text: 'Later',
    runAt,
  });
  await settled(body.id);
  const [message] = (await account.arrived()).stored;
  expect(message?.at).toBeGreaterThanOrEqual(new Date(runAt).getTime());
});

test('the sender keeps the pace that its account was given, and another account its own', async () => {
  const slow = await newAccount(tenant, { pacing: { gapMs: 1500 } });
  const quick = await newAccount(tenant);
  const jobs: number[] = [];
  for (const { id } of [slow, quick]) {
    for (const telegramUserId of [1, 2, 3]) {
      const message = { accountId: id, telegramUserId, text: 'Hi' };
      jobs.push((await live.post('/v1/telegram/messages', message)).body.id);
    }
  }
  for (const job of jobs) expect(await settled(job)).toMatchObject({ status: 'sent' });
  const gaps = async ({ arrived }: typeof slow) => {
    const times = (await arrived()).stored.map(({ at }) => at);
    return times.slice(1).map((at, index) => at - (times[index] as number));
  };
  for (const gap of await gaps(slow)) expect(gap).toBeGreaterThanOrEqual(1450);
  expect(Math.min(...(await gaps(quick)))).toBeLessThan(1450);
});

test('the sender sends every message of a burst once, in order of runAt and id', async () => {
  const account = await newAccount(tenant);
  const jobs: number[] = [];
  for (let n = 0; n < 12; n += 1) {
    const answer = await live.post('/v1/telegram/messages', {
      accountId: account.id,
      telegramUserId: 1000 + n,
      text: `no ${n}`,
    });
    jobs.push(answer.body.id);
  }
  for (const id of jobs) expect((await settled(id)).status).toBe('sent');
  const { stored } = await account.arrived();
  expect(stored.map(({ text }) => text)).toEqual(jobs.map((_, n) => `no ${n}`));
});

test('the sender writes to one chat at most once a second', async () => {
  const account = await newAccount(tenant);
  for (let n = 0; n < 3; n += 1)
    await live.post('/v1/telegram/messages', { accountId: account.id, telegramUserId: 7, text: `no ${n}` });
  const stored = await eventually(async () => {
    const arrived = await account.arrived();
    return arrived.stored.length === 3 && arrived.stored;
  }, 'three messages');
  const gaps = stored.slice(1).map(({ at }, n) => at - (stored[n]?.at ?? 0));
  for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(990);
});

test('the sender finds the chat of a username through the contact that has written, else fails at once', async () => {
  const account = await newAccount(tenant);
  const { contactId } = await hears(tenant, account.id, { telegramUserId: 303, username: 'Carla' });
  const known = await live.post('/v1/telegram/messages', { accountId: account.id, username: '@carla', text: 'Hi' });
  const unknown = await live.post('/v1/telegram/messages', { accountId: account.id, username: 'nobody', text: 'Hi' });
  expect((await settled(known.body.id)).status).toBe('sent');
  expect(await settled(unknown.body.id)).toMatchObject({
    status: 'failed',
    lastError: expect.stringContaining('recipient unknown'),
  });
  expect((await account.arrived()).stored.map(({ to }) => to)).toEqual(['303']);
  const { body } = await live.get(`/v1/contacts/${contactId}/messages`, { direction: 'outbound' });
  expect(body.items).toEqual([expect.objectContaining({ jobId: known.body.id, status: 'sent', contactId })]);
});

test('the sender waits as long as Telegram demands, told once, and counts no attempt', async () => {
  const account = await newAccount(tenant);
  await account.react({
    status: 429,
    body: { ok: false, description: 'Too Many Requests', parameters: { retry_after: 3 } },
  });
  const ids: number[] = [];
  for (const user of [1, 2, 3]) {
    const { body } = await live.post('/v1/telegram/messages', {
      accountId: account.id,
      telegramUserId: user,
      text: `to ${user}`,
    });
    ids.push(body.id);
  }
  const waiting = await eventually(async () => {
    const { body } = await live.get(`/v1/telegram/accounts/${account.id}`);
    return body.status === 'flood_wait' && body;
  }, 'the flood wait');
  const { body: first } = await live.get(`/v1/telegram/messages/${ids[0]}`);
  expect(first).toMatchObject({ status: 'queued', runAt: waiting.floodWaitUntil, lastError: null });
  for (const id of ids) expect((await settled(id)).status).toBe('sent');
  const { stored } = await account.arrived();
  expect(stored.map(({ text }) => text)).toEqual(['to 1', 'to 2', 'to 3']);
  expect(stored[0]?.at).toBeGreaterThanOrEqual(new Date(waiting.floodWaitUntil).getTime());
  expect((await live.get(`/v1/jobs/${ids[0]}`)).body.attempts).toBe(1);
  const events = await eventsOf('account.flood_wait', account.id, 1);
  expect(events).toEqual([
    {
      account_id: String(account.id),
      channel: 'telegram',
      wait_seconds: 3,
      until: waiting.floodWaitUntil,
      queued_jobs: expect.any(Number),
    },
  ]);
  expect((await live.get(`/v1/telegram/accounts/${account.id}`)).body).toMatchObject({
    status: 'active',
    floodWaitUntil: null,
  });
});

test('consecutive waits of no time double, and each is reported once', async () => {
  const account = await newAccount(tenant);
  const impatient = { status: 429, body: { ok: false, parameters: { retry_after: 0 } } };
  await account.react(impatient, impatient);
  const message = { accountId: account.id, telegramUserId: 1, text: 'Hi' };
  const { body } = await live.post('/v1/telegram/messages', message);
  expect((await settled(body.id)).status).toBe('sent');
  expect((await live.get(`/v1/jobs/${body.id}`)).body.attempts).toBe(1);
  expect(await eventsOf('account.flood_wait', account.id, 2)).toEqual([
    expect.objectContaining({ wait_seconds: 1 }),
    expect.objectContaining({ wait_seconds: 2 }),
  ]);
});

test('the sender fails at once what Telegram refuses for good, and can be told to try again', async () => {
  const account = await newAccount(tenant);
  await account.react({
    status: 400,
    body: { ok: false, description: 'Bad Request: chat not found \ud83d' },
  });
  const { body } = await live.post('/v1/telegram/messages', { accountId: account.id, telegramUserId: 9, text: 'Hi' });
  const failed = await settled(body.id);
  expect(failed).toMatchObject({
    status: 'failed',
    lastError: 'Telegram answered 400: Bad Request: chat not found \ufffd',
  });
  const retried = await live.post(`/v1/telegram/messages/${body.id}/retry`);
  expect(retried).toMatchObject({ status: 200, body: { id: body.id, status: 'queued', lastError: null } });
  expect((await settled(body.id)).status).toBe('sent');
  const again = await live.post(`/v1/telegram/messages/${body.id}/retry`);
  expect([again.status, again.body.details]).toEqual([409, because('job_not_failed')]);
});

test('the sender tries again later after a passing error', async () => {
  const account = await newAccount(tenant);
  await account.react({ status: 500, body: { ok: false, description: 'Internal Server Error' } });
  const { body } = await live.post('/v1/telegram/messages', { accountId: account.id, telegramUserId: 9, text: 'Hi' });
  const job = await eventually(async () => {
    const answer = await live.get(`/v1/jobs/${body.id}`);
    return answer.body.lastError !== null && answer.body;
  }, 'the first attempt');
  expect(job).toMatchObject({
    status: 'queued',
    attempts: 1,
    completedAt: null,
    lastError: 'Telegram answered 500: Internal Server Error',
  });
  expect(new Date(job.runAt).getTime() - new Date(job.updatedAt).getTime()).toBe(30_000);
});

test.each(['before', 'after'] as const)(
  'the sender never repeats a message whose connection broke %s it was stored',
  async (drop) => {
    const account = await newAccount(tenant);
    await account.react({ drop });
    const { body } = await live.post('/v1/telegram/messages', {
      accountId: account.id,
      telegramUserId: 9,
      text: 'Hi',
    });
    expect(await settled(body.id)).toMatchObject({
      status: 'failed',
      lastError: expect.stringContaining('may or may not have been delivered'),
    });
    expect((await account.arrived()).requests).toBe(1);
  },
);

test('the sender keeps the jobs of an account whose token was revoked, and says that it is disconnected', async () => {
  const account = await newAccount(tenant);
  await account.react({ status: 401, body: { ok: false, description: 'Unauthorized' } });
  const { body } = await live.post('/v1/telegram/messages', { accountId: account.id, telegramUserId: 9, text: 'Hi' });
  await eventually(async () => {
    const answer = await live.get(`/v1/telegram/accounts/${account.id}`);
    return answer.body.status === 'disconnected';
  }, 'the account to be disconnected');
  expect((await live.get(`/v1/telegram/messages/${body.id}`)).body).toMatchObject({ status: 'queued' });
  expect(
    (await live.post('/v1/telegram/messages', { accountId: account.id, telegramUserId: 9, text: 'Hi' })).status,
  ).toBe(202);
  expect(await eventsOf('account.status_changed', account.id, 1)).toEqual([
    { account_id: String(account.id), channel: 'telegram', from_status: 'active', to_status: 'disconnected' },
  ]);
  const { body: list } = await live.get('/v1/telegram/accounts', { status: 'disconnected' });
  expect(list.items.map(({ id }: { id: number }) => id)).toEqual([account.id]);
});

test('the sender stops at the daily limit until the next day, or until the limit is raised', async () => {
  const account = await newAccount(tenant, { dailyLimit: 2 });
  const ids: number[] = [];
  for (const user of [1, 2, 3]) {
    const { body } = await live.post('/v1/telegram/messages', {
      accountId: account.id,
      telegramUserId: user,
      text: 'Hi',
    });
    ids.push(body.id);
  }
  await settled(ids[1] as number);
  const tomorrow = `${inDays(1).slice(0, 10)}T00:00:00Z`;
  await eventually(async () => {
    const { body } = await live.get(`/v1/telegram/messages/${ids[2]}`);
    return body.status === 'queued' && body.runAt === tomorrow;
  }, 'the third message to wait for tomorrow');
  expect((await live.get(`/v1/telegram/accounts/${account.id}`)).body).toMatchObject({
    sentToday: 2,
    queuedCount: 1,
    status: 'active',
  });
  await transact(tenant, operator, (tx) =>
    updateAccount(tx, { id: account.id, channel: 'telegram' }, { dailyLimit: 3 }),
  );
  expect(await settled(ids[2] as number)).toMatchObject({ status: 'sent' });
});

test('cancelling takes a queued message back for good', async () => {
  const account = await newAccount(tenant);
  const { body } = await live.post('/v1/telegram/messages', {
    accountId: account.id,
    telegramUserId: 9,
    text: 'Hi',
    runAt: inDays(2),
  });
  const read = await live.get(`/v1/telegram/messages/${body.id}`);
  const stale = await live.call('POST', `/v1/telegram/messages/${body.id}/cancel`, {
    headers: { 'if-match': '"old"' },
  });
  expect([stale.status, stale.body.details]).toEqual([412, because('stale_version')]);
  const canceled = await live.call('POST', `/v1/telegram/messages/${body.id}/cancel`, {
    headers: { 'if-match': read.headers['etag'] as string },
  });
  expect(canceled).toMatchObject({ status: 200, body: { id: body.id, status: 'failed', lastError: 'canceled' } });
  const again = await live.post(`/v1/telegram/messages/${body.id}/cancel`);
  expect([again.status, again.body.details]).toEqual([409, because('job_not_queued')]);
  expect((await live.get(`/v1/telegram/accounts/${account.id}`)).body.queuedCount).toBe(0);
  expect(await eventsOf('job.completed', body.id, 1)).toEqual([
    expect.objectContaining({ status: 'failed', error: 'canceled', attempts: 0, channel: 'telegram' }),
  ]);
});

test('retry of a canceled message keeps a time that is ahead', async () => {
  const account = await newAccount(tenant);
  const runAt = inDays(2);
  const message = { accountId: account.id, telegramUserId: 9, text: 'Later', runAt };
  const { body } = await live.post('/v1/telegram/messages', message);
  await live.post(`/v1/telegram/messages/${body.id}/cancel`, undefined, 200);
  const again = await live.post(`/v1/telegram/messages/${body.id}/retry`, undefined, 200);
  expect(again.body).toMatchObject({ status: 'queued', lastError: null, runAt: body.runAt });
  await live.post(`/v1/telegram/messages/${body.id}/cancel`, undefined, 200);
});

test('a message is never both canceled and sent', async () => {
  const account = await newAccount(tenant);
  const ids = await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      const { body } = await live.post('/v1/telegram/messages', {
        accountId: account.id,
        telegramUserId: 2000 + n,
        text: `${n}`,
      });
      const canceled = await live.post(`/v1/telegram/messages/${body.id}/cancel`);
      return { id: body.id, text: `${n}`, wasCanceled: canceled.status === 200 };
    }),
  );
  for (const { id } of ids) await settled(id);
  const texts = (await account.arrived()).stored.map(({ text }) => text);
  expect(texts.sort()).toEqual(
    ids
      .filter(({ wasCanceled }) => !wasCanceled)
      .map(({ text }) => text)
      .sort(),
  );
});

const sandbox = () => ({ workspaceId: workspace.id, env: 'test' as const });

test('the sandbox has no daily limit', async () => {
  const { id: accountId } = await newAccount(sandbox(), { dailyLimit: 1 });
  const { test } = workspace;
  for (const username of ['a', 'b', 'c']) {
    const { body } = await test.post('/v1/telegram/messages', { accountId, username, text: 'Hi' });
    expect((await settled(body.id, test)).status).toBe('sent');
  }
});

test('the sandbox sends without anything leaving, rejects test_fail and floods for test_flood', async () => {
  const account = await newAccount(sandbox());
  const { test } = workspace;
  const send = async (username: string) =>
    (await test.post('/v1/telegram/messages', { accountId: account.id, username, text: 'Hi' })).body.id;
  expect((await settled(await send('anyone'), test)).status).toBe('sent');
  expect(await settled(await send('test_fail'), test)).toMatchObject({
    status: 'failed',
    lastError: 'recipient rejected',
  });
  const flooded = await send('test_flood');
  const waiting = await eventually(async () => {
    const { body } = await test.get(`/v1/telegram/accounts/${account.id}`);
    return body.status === 'flood_wait' && body;
  }, 'the flood wait');
  expect((await test.get(`/v1/telegram/messages/${flooded}`)).body).toMatchObject({
    status: 'queued',
    runAt: waiting.floodWaitUntil,
  });
  await eventually(
    async () => (await test.get(`/v1/telegram/messages/${flooded}`)).body.status === 'sent',
    'the end of the flood wait',
    50_000,
  );
  expect((await account.arrived()).requests).toBe(0);
});

/** The data of the events of a kind about an account or a job, once there are so many. */
async function eventsOf(kind: string, id: number, count: number) {
  return eventually(async () => {
    const { items } = await readFeed(new UnitOfWork(tenant, system), 0, 1000, ({ event }) => event === kind);
    const data = items.map(({ body }) => JSON.parse(body).data as Record<string, unknown>);
    const found = data.filter((one) => (one['job_id'] ?? one['account_id']) === String(id));
    return found.length >= count && found;
  }, `${count} ${kind}`);
}

test('changing a queued message changes its text and its time, and drops its formats', async () => {
  const account = await newAccount(tenant);
  const { contactId } = await hears(tenant, account.id, { telegramUserId: 4711, username: 'nils' });
  const message = { accountId: account.id, contactId, text: 'At <b>nine</b>', format: 'html', runAt: inDays(2) };
  const { id } = (await live.post('/v1/telegram/messages', message, 202)).body;
  const path = `/v1/telegram/messages/${id}`;
  const shown = async () =>
    (await live.get(`/v1/contacts/${contactId}/messages`, { direction: 'outbound' })).body.items;
  const later = inDays(3);
  expect((await live.patch(path, { runAt: later }, 200)).body).toMatchObject({ status: 'queued', runAt: later });
  expect(await shown()).toMatchObject([{ body: 'At nine', entities: [{ type: 'bold' }] }]);
  const changed = await live.patch(path, { text: ' At <ten> ' }, 200);
  expect(changed.body).toEqual((await live.get(path)).body);
  expect(await shown()).toMatchObject([{ body: 'At <ten>', entities: [], status: 'queued', jobId: id }]);
  expect((await live.get(`/v1/jobs/${id}`)).body).toMatchObject({ textPreview: 'At <ten>', runAt: later });
  await live.patch(path, { runAt: null }, 200);
  expect(await settled(id)).toMatchObject({ status: 'sent' });
  const [sent] = (await account.arrived()).stored;
  expect(sent).toMatchObject({ text: 'At <ten>' });
  expect(sent).not.toHaveProperty('entities');
});

test('changing refuses what the creation refuses, and a message that is not queued', async () => {
  const account = await newAccount(tenant);
  const message = { accountId: account.id, telegramUserId: 9, text: 'Hi', runAt: inDays(2) };
  const { body } = await live.post('/v1/telegram/messages', message, 202);
  const path = `/v1/telegram/messages/${body.id}`;
  const refused: [object, string, string][] = [
    [{ text: ' ' }, 'text', 'required'],
    [{ text: null }, 'text', 'required'],
    [{ text: 'x'.repeat(4001) }, 'text', 'too_long'],
    [{ runAt: inDays(366) }, 'runAt', 'out_of_range'],
    [{ runAt: 'soon' }, 'runAt', 'invalid_format'],
  ];
  for (const [change, field, code] of refused)
    expect((await live.patch(path, change, 400)).body.details.fields, JSON.stringify(change)).toMatchObject([
      { code, ...(field && { field }) },
    ]);
  await live.patch(`/v1/twitter/messages/${body.id}`, { text: 'Hello' }, 404);
  await live.patch(`/v1/jobs/${body.id}`, { text: 'Hello' }, 404);
  expect((await live.patch(path, {}, 200)).body).toEqual(body);
  await live.post(`${path}/cancel`, undefined, 200);
  const answer = await live.patch(path, { text: 'Hello' }, 409);
  expect(answer.body.details).toEqual(because('job_not_queued'));
});
