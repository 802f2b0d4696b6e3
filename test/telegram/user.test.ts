import { afterAll, beforeAll, expect, test } from 'vitest';
import { dayMs, fromNow, hourMs, now, shifted } from '#lib/core/clock.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { Accounts } from '#lib/entities/account.ts';
import { Jobs } from '#lib/entities/job.ts';
import { Peers } from '#lib/entities/peer.ts';
import { updateAccount } from '#lib/messages/accounts/change.ts';
import { transact } from '#lib/table/transact.ts';
import { type Client, eventually } from '#test/client.ts';
import { person, startDataCentre } from '#test/telegram/data-centre.ts';
import { hasteAtTelegram, unanswered } from '#test/telegram/haste.ts';
import { hears, newAccount } from '#test/telegram/line.ts';
import { newWorkspace } from '#test/workspace.ts';

hasteAtTelegram();

let live: Client;
let tenant: Tenant;
const centres: Awaited<ReturnType<typeof startDataCentre>>[] = [];

beforeAll(async () => {
  const workspace = await newWorkspace();
  live = workspace.live;
  tenant = { workspaceId: workspace.id, env: 'live' };
});

afterAll(() => Promise.all(centres.map((centre) => centre.close())));

/** A user account with a data centre of its own. */
async function newUserAccount(place = tenant) {
  const centre = await startDataCentre();
  centres.push(centre);
  const account = await newAccount(place, { kind: 'user', secret: centre.session });
  return { id: account.id, centre };
}

const send = async (accountId: number, body: object, by = live): Promise<number> =>
  (await by.post('/v1/telegram/messages', { accountId, text: 'Hi', ...body })).body.id;

const settled = (id: number, by = live) =>
  eventually(async () => {
    const { body } = await by.get(`/v1/jobs/${id}`);
    return body.status !== 'queued' && body;
  }, `job ${id} to be sent or to fail`);

/** Moves the next attempt of a waiting job to now. */
const hurry = (id: number) =>
  transact(tenant, operator, async (tx) => {
    const job = await tx.get(Jobs, { id });
    tx.update(Jobs, { ...job, runAt: tx.now, queuedFor: tx.now });
  });

test('a user account writes to a username that it looks up once, over one connection at a time', async () => {
  const { id, centre } = await newUserAccount();
  const jobs = [await send(id, { username: '@Maria' }), await send(id, { username: 'maria' })];
  for (const job of jobs) expect(await settled(job)).toMatchObject({ status: 'sent', attempts: 1 });
  expect(await settled(await send(id, { telegramUserId: person.userId }))).toMatchObject({ status: 'sent' });
  expect(centre.stored()).toEqual(Array(3).fill({ userId: person.userId, text: 'Hi' }));
  expect(centre.seen).toMatchObject({ resolves: 1, sends: 3, maxLive: 1 });
  await eventually(async () => centre.seen.live === 0, 'the connection to be closed');
});

test('a user account fails at once for an unknown name and for an id that it has not met', async () => {
  const { id } = await newUserAccount();
  expect(await settled(await send(id, { username: 'nobody' }))).toMatchObject({
    status: 'failed',
    lastError: 'Telegram answered 400: USERNAME_NOT_OCCUPIED',
  });
  expect(await settled(await send(id, { telegramUserId: 5 }))).toMatchObject({
    status: 'failed',
    lastError: expect.stringContaining('has not met'),
  });
});

test('a user account does not write to a new holder of a known person’s username', async () => {
  const workspace = await newWorkspace();
  const place: Tenant = { workspaceId: workspace.id, env: 'live' };
  const { id, centre } = await newUserAccount(place);
  const { contactId } = await hears(place, id, { telegramUserId: 793_582, username: 'maria' });
  for (const recipient of [{ contactId }, { username: 'maria' }, { contactId }])
    expect(await settled(await send(id, recipient, workspace.live), workspace.live)).toMatchObject({
      status: 'failed',
      lastError: expect.stringContaining('belongs to somebody else'),
    });
  expect([centre.stored(), centre.seen.resolves]).toEqual([[], 1]);
});

test('a user account looks a username up again a day later, when it may be that of another person', async () => {
  const { id, centre } = await newUserAccount();
  for (const [age, resolves] of [
    [0, 1],
    [dayMs - hourMs, 1],
    [dayMs + hourMs, 2],
  ] as const) {
    await transact(tenant, operator, async (tx) => {
      const row = await tx.find(Peers, { accountId: id, name: '@maria' });
      if (row) tx.update(Peers, { ...row, createdAt: shifted(tx.now, -age) });
    });
    expect(await settled(await send(id, { username: 'maria' }))).toMatchObject({ status: 'sent' });
    expect(centre.seen.resolves).toBe(resolves);
  }
});

test.each(['before', 'after'] as const)(
  'a user account delivers once when the connection breaks %s the message is stored',
  async (drop) => {
    const { id, centre } = await newUserAccount();
    centre.treat({ drop });
    const job = await send(id, { username: 'maria' });
    const isTried = async () => {
      const { body } = await live.get(`/v1/jobs/${job}`);
      return body.status === 'sent' || body.lastError !== null;
    };
    await unanswered(() => eventually(isTried, 'the first attempt'));
    await hurry(job).catch(() => undefined);
    expect(await settled(job)).toMatchObject({ status: 'sent' });
    expect(centre.stored()).toEqual([{ userId: person.userId, text: 'Hi' }]);
  },
);

test('a user account waits as long as Telegram demands and counts no attempt', async () => {
  const { id, centre } = await newUserAccount();
  centre.treat({ code: 420, error: 'FLOOD_WAIT_2' });
  const job = await send(id, { username: 'maria' });
  await eventually(async () => {
    const { body } = await live.get(`/v1/telegram/accounts/${id}`);
    return body.status === 'flood_wait' || (await live.get(`/v1/jobs/${job}`)).body.status === 'sent';
  }, 'the flood wait');
  expect(await settled(job)).toMatchObject({ status: 'sent', attempts: 1 });
});

test('a message to a chat in slow mode waits ten years at most, and counts no attempt', async () => {
  const { id, centre } = await newUserAccount();
  centre.treat({ code: 420, error: `SLOWMODE_WAIT_${'9'.repeat(30)}` });
  const job = await send(id, { username: 'maria' });
  const body = await eventually(async () => {
    const { body } = await live.get(`/v1/jobs/${job}`);
    return Date.parse(body.runAt) > now() + 3649 * dayMs && body;
  }, 'the message to wait');
  expect(body).toMatchObject({ status: 'queued', attempts: 0 });
  expect(Date.parse(body.runAt)).toBeLessThan(now() + 3651 * dayMs);
});

test('a user account meets no more people on a day than its pacing allows', async () => {
  const { id, centre } = await newUserAccount();
  await transact(tenant, operator, (tx) =>
    updateAccount(tx, { id, channel: 'telegram' }, { pacing: { newPeersPerDay: 0 } }),
  );
  const job = await send(id, { username: 'maria' });
  const tomorrow = `${fromNow(dayMs).slice(0, 10)}T00:00:00Z`;
  await eventually(
    async () => (await live.get(`/v1/jobs/${job}`)).body.runAt === tomorrow,
    'the message to wait for tomorrow',
  );
  expect(centre.stored()).toEqual([]);
});

test('messages that wait for a day on which more people may be met use up no turn of the minute', async () => {
  const { id } = await newUserAccount();
  expect(await settled(await send(id, { username: 'maria' }))).toMatchObject({ status: 'sent' });
  const pacing = { newPeersPerDay: 0, perMinute: 3 };
  await transact(tenant, operator, (tx) => updateAccount(tx, { id, channel: 'telegram' }, { pacing }));
  const strangers = await Promise.all(Array.from({ length: 4 }, (_, n) => send(id, { username: `stranger_${n}` })));
  for (const job of strangers)
    await eventually(async () => (await live.get(`/v1/jobs/${job}`)).body.runAt.endsWith('T00:00:00Z'), 'tomorrow');
  expect(await settled(await send(id, { username: 'maria' }))).toMatchObject({ status: 'sent' });
});

test('a user account writes to no new person for a day after a PEER_FLOOD', async () => {
  const { id, centre } = await newUserAccount();
  centre.treat({ code: 400, error: 'PEER_FLOOD' });
  const job = await send(id, { username: 'maria' });
  const account = await eventually(
    () => transact(tenant, operator, async (tx) => (await tx.get(Accounts, { id })).newPeers),
    'the pause',
  );
  expect(account.hours).toBe(24);
  // The pause is written first, the job after it.
  const body = await eventually(async () => {
    const { body } = await live.get(`/v1/jobs/${job}`);
    return body.runAt === account.pausedUntil && body;
  }, 'the message to wait for the end of the pause');
  expect(body).toMatchObject({ status: 'queued', attempts: 0 });
  expect(new Date(body.runAt).getTime() - now()).toBeGreaterThan(23 * hourMs);
});

test.each([
  ['SESSION_REVOKED', 401, 'disconnected'],
  ['USER_DEACTIVATED_BAN', 401, 'banned'],
])('a user account that is told %s keeps its jobs', async (error, code, status) => {
  const { id, centre } = await newUserAccount();
  centre.treat({ code, error });
  const job = await send(id, { username: 'maria' });
  await eventually(async () => (await live.get(`/v1/telegram/accounts/${id}`)).body.status === status, status);
  expect((await live.get(`/v1/jobs/${job}`)).body.status).toBe('queued');
});

test('a user account without a readable session is disconnected', async () => {
  const { id } = await newAccount(tenant, { kind: 'user', secret: 'not a session' });
  await send(id, { username: 'maria' });
  await eventually(
    async () => (await live.get(`/v1/telegram/accounts/${id}`)).body.status === 'disconnected',
    'the account to be disconnected',
  );
});
