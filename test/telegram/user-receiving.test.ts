import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { minuteMs, now } from '#lib/core/clock.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import { Accounts } from '#lib/entities/account.ts';
import { Inbounds } from '#lib/entities/inbound.ts';
import { Jobs } from '#lib/entities/job.ts';
import { pollTelegram } from '#lib/transport/receiving/telegram-user.ts';
import { type Client, eventually } from '#test/client.ts';
import { dyingAfter } from '#test/crash.ts';
import { serverKey } from '#test/place.ts';
import { person, personOf, phoneOf, rightCode } from '#test/telegram/data-centre.ts';
import { hasteAtTelegram, unanswered } from '#test/telegram/haste.ts';
import { type Listening, persons, somebody } from '#test/telegram/persons.ts';
import { newWorkspace } from '#test/workspace.ts';

hasteAtTelegram();

let live: Client;
let tenant: Tenant;
const { inTenant, newCentre, listening, hurry, looked, conversation, close } = persons(() => ({ live, tenant }));

beforeAll(async () => {
  const workspace = await newWorkspace();
  live = workspace.live;
  tenant = { workspaceId: workspace.id, env: 'live' };
});
afterAll(close);

const bodies = (messages: { body: string }[]) => messages.map(({ body }) => body);
const send = async (accountId: number, to: object, text = 'Hi') =>
  (await live.post('/v1/telegram/messages', { accountId, text, ...to })).body.id as number;
const jobOf = async (id: number) => (await live.get(`/v1/jobs/${id}`)).body;
const settled = (id: number) =>
  eventually(async () => {
    const job = await jobOf(id);
    return job.status !== 'queued' && job;
  }, `job ${id} to end`);

test('a login receives later messages and edits, its own included, of people alone', async () => {
  const centre = await newCentre({ id: 4, serverKey: serverKey() });
  const [ann, bot] = [somebody(), somebody()];
  centre.box.write(ann, 'Before');
  const { body: login } = await live.post('/v1/telegram/logins', { phone: phoneOf(centre.port) });
  const { body } = await live.post(`/v1/telegram/logins/${login.id}/code`, { code: rightCode });
  const account = { id: body.accountId as number };
  const shown = async () => (await live.get(`/v1/telegram/accounts/${account.id}`)).body.inbound;
  expect(await shown()).toMatchObject({ mode: 'polling' });
  const first = centre.box.write(ann, 'Hello\u0007');
  centre.box.write(ann, 'Good day', { out: true });
  centre.box.know(personOf(bot, { bot: true }));
  centre.box.write(bot, 'Buy!');
  centre.box.write(777_000, 'Your code is 12345');
  centre.box.write(centre.self.id, 'A note');
  centre.box.write(ann, 'In a group', { peerId: { _: 'peerChat', chatId: 5 }, fromId: { _: 'peerUser', userId: ann } });
  centre.box.write(ann, '', { media: { _: 'messageMediaDice', value: 6, emoticon: '🎲' } });
  centre.box.write(ann, '', {
    media: { _: 'messageMediaGeo', geo: { _: 'geoPoint', long: -2, lat: 1.5, accessHash: person.accessHash } },
  });
  centre.box.edit(first, { message: 'Hello there' });
  await looked(account);
  const messages = await conversation(account, ann);
  expect(bodies(messages)).toEqual(['Hello there', 'Good day', '[dice]', '1.5, -2']);
  expect(messages[0]).toMatchObject({ direction: 'inbound', status: 'received', accountId: account.id, isRead: false });
  expect(messages[0].editedAt).not.toBeNull();
  expect(messages[1]).toMatchObject({ direction: 'outbound', status: 'sent', jobId: null, editedAt: null });
  for (const other of [bot, 777_000, centre.self.id]) expect(await conversation(account, other)).toEqual([]);
  expect(await shown()).toMatchObject({ mode: 'polling', status: 'ok', lastError: null });
  expect((await shown()).lastReceivedAt).not.toBeNull();
  expect(centre.seen.maxLive).toBe(1);
});

test('much is told in slices, and what comes twice or late is stored once', async () => {
  const account = await listening();
  const ann = somebody();
  account.box.sliceSize = 3;
  const texts = Array.from({ length: 10 }, (_, index) => `Message ${index}`);
  const ids = texts.map((text) => account.box.write(ann, text));
  account.box.edit(ids[2] as number, { message: 'Edited' });
  account.box.edit(ids[2] as number, { message: 'Late' }, 1_000);
  account.box.edit(ids[3] as number, { editHide: true });
  account.box.repeat();
  await looked(account);
  const messages = await conversation(account, ann);
  expect(bodies(messages)).toEqual(texts.with(2, 'Edited'));
  expect(messages[3].editedAt).toBeNull();
  expect(account.calls['updates.getDifference']).toBeGreaterThan(7);
});

test('a sender of a first message can be answered by id, and our answers are stored once', async () => {
  const account = await listening();
  const ann = somebody();
  account.box.write(ann, 'Hello');
  await looked(account);
  const [{ contactId }] = await conversation(account, ann);
  const job = await settled(await send(account.id, { contactId }, 'Answer'));
  expect(job).toMatchObject({ status: 'sent' });
  expect(account.seen.resolves).toBe(0);
  const unknown = await settled(await send(account.id, { username: person.username }, 'To a stranger'));
  expect(unknown.contactId).toBeNull();
  await looked(account);
  const messages = await conversation(account, ann);
  expect(messages.map(({ body, jobId }: { body: string; jobId: number }) => [body, jobId])).toEqual([
    ['Hello', null],
    ['Answer', job.id],
  ]);
  expect(await conversation(account, person.userId)).toEqual([]);
});

describe('a message of which only Telegram knows that it left', () => {
  const onlySent = async (account: Listening, job: number) => {
    expect(await settled(job)).toMatchObject({ status: 'sent' });
    await looked(account);
    const messages = await conversation(account, person.userId);
    expect(messages.map(({ body, jobId }: { body: string; jobId: number }) => [body, jobId])).toEqual([
      ['Hello', null],
      ['Hi', job],
    ]);
    expect(account.stored()).toHaveLength(1);
  };
  const dropped = async () => {
    const account = await listening();
    account.box.know(personOf(person.userId, { username: person.username }));
    account.box.write(person.userId, 'Hello');
    await looked(account);
    account.treat({ drop: 'after' });
    const job = await send(account.id, { username: person.username });
    const isTried = async () => (await jobOf(job)).lastError !== null;
    await unanswered(() => eventually(isTried, 'the failed attempt'));
    return { account, job };
  };

  test('is sent when the account is told of it before it is tried again', async () => {
    const { account, job } = await dropped();
    await looked(account);
    await onlySent(account, job);
  });

  test('is recognised when it was tried again before', async () => {
    const { account, job } = await dropped();
    await inTenant(async (tx) => {
      const row = await tx.get(Jobs, { id: job });
      tx.update(Jobs, { ...row, runAt: tx.now, queuedFor: tx.now });
    });
    await onlySent(account, job);
  });
});

test('a read mark passes in both directions', async () => {
  const account = await listening();
  const ann = somebody();
  account.box.write(ann, 'Hello');
  const asked = account.box.write(ann, 'Are you there?');
  const own = [1, 2, 3].map((index) => account.box.write(ann, `Answer ${index}`, { out: true }));
  await looked(account);
  account.box.readByThem(ann, own[1] as number);
  await looked(account);
  const messages = await conversation(account, ann);
  expect(messages.slice(2).map(({ readAt }: { readAt: string | null }) => readAt !== null)).toEqual([
    true,
    true,
    false,
  ]);
  const { items } = (await live.get('/v1/events', { since: 0, limit: 100 })).body;
  const read = items.filter(
    ({ event, data }: { event: string; data: { account_id: string } }) =>
      event === 'message.read' && data.account_id === String(account.id),
  );
  expect(read.map(({ data }: { data: { message_ids: string[] } }) => data.message_ids)).toEqual([
    messages.slice(2, 4).map(({ id }: { id: number }) => String(id)),
  ]);
  const { body } = await live.post(`/v1/contacts/${messages[0].contactId}/messages/read`, {});
  expect(body).toEqual({ read: 2 });
  await eventually(async () => account.box.reads.length > 0, 'Telegram to be told');
  await looked(account);
  expect(account.box.reads).toEqual([{ userId: ann, maxId: asked }]);
});

test('after a gap too large to read it resumes with the next message, and says so', async () => {
  const account = await listening();
  const ann = somebody();
  account.box.write(ann, 'Lost');
  account.box.isTooLong = true;
  await looked(account);
  expect((await account.account()).inbound).toMatchObject({
    status: 'ok',
    lastError: expect.stringContaining('missing'),
  });
  account.box.isTooLong = false;
  account.box.write(ann, 'Found');
  await looked(account);
  expect(bodies(await conversation(account, ann))).toEqual(['Found']);
});

test('a session ended elsewhere disconnects the account, but a passing refusal does not', async () => {
  const account = await listening();
  account.refuse('updates.getDifference', 420, 'FLOOD_WAIT_99');
  await looked(account);
  const { inbound, status } = await account.account();
  expect([status, inbound.status]).toEqual(['active', 'failing']);
  const { dueAt } = await inTenant((tx) => tx.get(Inbounds, account));
  expect(Date.parse(dueAt as string)).toBeGreaterThan(now() + 60_000);
  account.refuse('updates.getDifference');
  await looked(account);
  expect((await account.account()).inbound).toMatchObject({ status: 'ok', lastError: null });
  account.endSessions();
  await looked(account);
  expect(await account.account()).toMatchObject({ status: 'disconnected', inbound: { status: 'failing' } });
  const { items } = (await live.get('/v1/events', { since: 0, limit: 100 })).body;
  expect(items).toContainEqual(
    expect.objectContaining({
      event: 'account.status_changed',
      data: expect.objectContaining({ account_id: String(account.id), to_status: 'disconnected' }),
    }),
  );
});

test('an account listens as somebody says: off, and again', async () => {
  const account = await listening();
  const ann = somebody();
  const path = `/v1/telegram/accounts/${account.id}`;
  await live.patch(path, { inbound: 'webhook' }, 400);
  expect((await live.patch(path, { inbound: 'off' })).body.inbound).toMatchObject({ mode: 'off', status: 'off' });
  account.box.write(ann, 'Meanwhile');
  expect((await live.patch(path, { inbound: 'polling' })).body.inbound).toMatchObject({ mode: 'polling' });
  await eventually(async () => (await conversation(account, ann)).length === 1, 'what was written meanwhile');
});

test('sending and receiving never hold two connections at once', async () => {
  const account = await listening();
  const ann = somebody();
  const jobs: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    account.box.write(ann, `Round ${round}`);
    jobs.push(await send(account.id, { username: person.username }, `Job ${round}`));
    await hurry(account);
  }
  for (const job of jobs) expect(await settled(job)).toMatchObject({ status: 'sent' });
  await looked(account);
  expect(await conversation(account, ann)).toHaveLength(5);
  expect(account.seen.maxLive).toBe(1);
});

test('a receiver that dies loses no message and stores none twice', async () => {
  const account = await listening();
  const ann = somebody();
  account.box.sliceSize = 4;
  const texts: string[] = [];
  for (const writes of [0, 6]) {
    for (let count = 0; count < 12; count += 1) texts.push(`Message ${texts.length}`);
    for (const text of texts.slice(-12)) account.box.write(ann, text);
    const before = (await conversation(account, ann)).length;
    const due = await inTenant(async (tx) => ({
      account: await tx.get(Accounts, account),
      inbound: await tx.get(Inbounds, account),
    }));
    expect(await dyingAfter(writes, () => pollTelegram(tenant, due, now() + minuteMs, async () => false))).toBe(false);
    const stored = (await conversation(account, ann)).length - before;
    expect(stored > 0).toBe(writes > 0);
    expect(stored).toBeLessThan(12);
    await looked(account);
    expect(bodies(await conversation(account, ann))).toEqual(texts);
  }
});
