import { beforeAll, describe, expect, test } from 'vitest';
import { commands } from '#infra/admin/commands/twitter-account.ts';
import { encrypt } from '#lib/aws/secrets.ts';
import { openTwitterApi } from '#lib/channels/twitter/api.ts';
import { minuteMs, now, secondMs, shifted } from '#lib/core/clock.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { Accounts } from '#lib/entities/account.ts';
import { type EventsKnown, Inbounds } from '#lib/entities/inbound.ts';
import { secretContext } from '#lib/messages/accounts/store.ts';
import { transact } from '#lib/table/transact.ts';
import { advance, begunAt, isKnown } from '#lib/transport/receiving/twitter-known.ts';
import { pollTwitter } from '#lib/transport/receiving/twitter-user.ts';
import { type Client, eventually } from '#test/client.ts';
import { dyingAfter } from '#test/crash.ts';
import { hurry, looked } from '#test/receiving/look.ts';
import { because } from '#test/refusals.ts';
import { newPerson, type Person } from '#test/twitter/person.ts';
import { newXId, type XPerson } from '#test/twitter/x-double.ts';
import { newWorkspace } from '#test/workspace.ts';

let live: Client;
let sandbox: Client;
let tenant: Tenant;

beforeAll(async () => {
  const workspace = await newWorkspace();
  live = workspace.live;
  sandbox = workspace.test;
  tenant = { workspaceId: workspace.id, env: 'live' };
});

const inTenant = <Result>(work: Parameters<typeof transact<Result>>[2]) => transact(tenant, operator, work);
const inboundOf = (id: number) => inTenant((tx) => tx.get(Inbounds, { id }));
const account = async (id: number) =>
  (await live.get('/v1/twitter/accounts', { limit: 100 })).body.items.find((one: { id: number }) => one.id === id);

/** The account of somebody that listens, up to now. */
async function listening(person: Person = newPerson()) {
  const app = await person.letIn(person.app);
  const { status, body } = await live.post('/v1/twitter/accounts', { accessToken: person.token, ...app });
  expect([status, body.inbound]).toEqual([
    201,
    { mode: 'polling', status: 'off', lastReceivedAt: null, lastError: null },
  ]);
  await eventually(async () => (await account(body.id)).inbound.status === 'ok', 'the first look');
  return { id: body.id as number, ...person };
}
type Listening = Awaited<ReturnType<typeof listening>>;

let lastPerson = 0;
const somebody = (): Required<XPerson> => {
  lastPerson += 1;
  return {
    id: String(5_000_000_000_000_000_000n + BigInt(lastPerson)),
    name: `Sam ${lastPerson}`,
    username: `sam_${lastPerson}_x`,
  };
};

/** What the account and somebody have written each other, the oldest first. */
async function conversation({ id }: Pick<Listening, 'id'>, { name }: Required<XPerson>) {
  const { items } = (await live.get('/v1/contacts', { q: name })).body;
  const contact = items.find((one: { name: string }) => one.name === name);
  if (!contact) return [];
  const { body } = await live.get('/v1/messages', { contactId: contact.id, accountId: id, limit: 100 });
  return body.items.toReversed();
}
const bodies = (messages: { body: string }[]) => messages.map(({ body }) => body);
const texts = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `Message ${from + index}`);
const settled = (id: number) =>
  eventually(async () => {
    const { body } = await live.get(`/v1/jobs/${id}`);
    return body.status !== 'queued' && body;
  }, `job ${id} to end`);

describe('the inbox of an X account', () => {
  const link = (url: string, expanded_url: string, more: object = {}) => ({ url, expanded_url, ...more });
  test.each([
    [
      'see https://t.co/abc',
      { entities: { urls: [link('https://t.co/abc', 'https://shop.example/o?id=5')] } },
      'see https://shop.example/o?id=5',
    ],
    [
      'a https://t.co/a b https://t.co/b',
      {
        entities: { urls: [link('https://t.co/a', 'https://a.example'), link('https://t.co/b', 'https://b.example')] },
      },
      'a https://a.example b https://b.example',
    ],
    [
      'https://t.co/ab https://t.co/abc',
      {
        entities: {
          urls: [link('https://t.co/ab', 'https://a.example'), link('https://t.co/abc', 'https://b.example')],
        },
      },
      'https://a.example https://b.example',
    ],
    [
      'my photo https://t.co/pic',
      {
        entities: {
          urls: [link('https://t.co/pic', 'https://x.com/messages/media/5', { display_url: 'pic.x.com/5' })],
        },
      },
      'my photo',
    ],
    [
      'look https://t.co/xyz',
      {
        entities: { urls: [link('https://t.co/xyz', 'https://x.com/ann/status/77')] },
        referenced_tweets: [{ id: '77' }],
      },
      'look https://x.com/ann/status/77',
    ],
    ['', { referenced_tweets: [{ id: '78' }] }, 'https://x.com/i/status/78'],
    ['Tom &amp; Ann &lt;3', {}, 'Tom & Ann <3'],
    ['odd https://t.co/q', { entities: { urls: [7, { url: 'https://t.co/q' }] } }, 'odd https://t.co/q'],
  ])('keeps where links lead to: %s', async (text, as, body) => {
    const [us, ann] = [await listening(), somebody()];
    await us.write({ from: ann, text, as });
    await looked(tenant, us);
    expect(bodies(await conversation(us, ann))).toEqual([body]);
  });

  test('costs one request of ten events while nothing is new, and more only for what is', async () => {
    const [us, ann] = [newPerson(), somebody()];
    await us.write(...texts(150).map((text) => ({ from: ann, text })));
    const account = await listening(us);
    const counts = async () => {
      const { dm_events: requests = 0, events: told = 0 } = (await us.seen()).x.calls;
      return { requests, told };
    };
    const events = async (work: () => Promise<unknown>) => {
      const before = await counts();
      await work();
      const { requests, told } = await counts();
      return [requests - before.requests, told - before.told];
    };
    expect(await events(() => looked(tenant, account))).toEqual([1, 10]);
    await us.write(...texts(3, 200).map((text) => ({ from: ann, text })));
    expect(await events(() => looked(tenant, account))).toEqual([1, 10]);
    expect(bodies(await conversation(account, ann))).toEqual(texts(3, 200));
    await us.write(...texts(40, 300).map((text) => ({ from: ann, text })));
    expect((await events(() => looked(tenant, account)))[0]).toBe(2);
    expect(bodies(await conversation(account, ann))).toEqual([...texts(3, 200), ...texts(40, 300)]);
  });

  test('begins with what comes after it was connected: people, and what its person writes elsewhere', async () => {
    const [ann, group] = [somebody(), somebody()];
    const person = newPerson();
    await person.write({ from: ann, text: 'Before' });
    const us = await listening(person);
    await us.write(
      { from: ann, text: 'Hello\u0007' },
      { to: ann, text: 'Good day' },
      { from: group, text: 'To all', group: '1582103724607971328' },
      { from: group, text: 'Joined', as: { event_type: 'ParticipantsJoin' } },
    );
    await looked(tenant, us);
    const messages = await conversation(us, ann);
    expect(bodies(messages)).toEqual(['Hello', 'Good day']);
    expect(messages[0]).toMatchObject({ direction: 'inbound', status: 'received', accountId: us.id, isRead: false });
    expect(messages[1]).toMatchObject({ direction: 'outbound', status: 'sent', jobId: null });
    const { body: contact } = await live.get(`/v1/contacts/${messages[0].contactId}`);
    expect(contact).toMatchObject({
      name: ann.name,
      username: ann.username,
      platform: 'twitter',
      hasUnreadMessages: true,
    });
    expect(await conversation(us, group)).toEqual([]);
    expect((await account(us.id)).inbound).toMatchObject({ mode: 'polling', status: 'ok', lastError: null });
    const { items } = (await live.get('/v1/events', { eventKind: 'message.created', limit: 100 })).body;
    expect(items.map(({ data }: { data: object }) => data)).toContainEqual(
      expect.objectContaining({ channel: 'twitter', account_id: String(us.id), direction: 'inbound', body: 'Hello' }),
    );
  });

  test('comes in pages, unordered, twice and late, and is stored once, the oldest first', async () => {
    const us = await listening();
    const ann = somebody();
    await us.has({ pageSize: 3, isDisorderly: true });
    const [first = ''] = await us.write(...texts(10).map((text) => ({ from: ann, text })));
    await looked(tenant, us);
    expect(bodies(await conversation(us, ann))).toEqual(texts(10));
    await us.write({ from: ann, text: 'Late', id: String(BigInt(first) - 1n) });
    await looked(tenant, us);
    await looked(tenant, us);
    const messages = await conversation(us, ann);
    expect(bodies(messages).toSorted()).toEqual(['Late', ...texts(10)].toSorted());
  });

  test('names media by their URLs', async () => {
    const us = await listening();
    const ann = somebody();
    const [url, preview_image_url] = [
      'https://ton.twitter.com/1.1/ton/data/dm/1/2/a.jpg',
      'https://pbs.twimg.com/b.jpg',
    ];
    await us.write(
      {
        from: ann,
        text: 'Look https://t.co/x',
        media: [
          { type: 'photo', url },
          { type: 'video', preview_image_url },
        ],
      },
      { from: ann, text: '', media: [{ type: 'animated_gif' }, { type: 'photo', url: 'javascript:alert(1)' }] },
    );
    await looked(tenant, us);
    expect(bodies(await conversation(us, ann))).toEqual([
      `Look https://t.co/x\n${url}\n${preview_image_url}`,
      '[animated_gif]\n[photo]',
    ]);
  });

  test('recognizes our own messages, also to people who are not contacts', async () => {
    const us = await listening();
    const ann = somebody();
    await us.write({ from: ann, text: 'Hello' });
    await looked(tenant, us);
    const [{ contactId }] = await conversation(us, ann);
    const send = async (to: object, text: string) =>
      settled((await live.post('/v1/twitter/messages', { accountId: us.id, text, ...to })).body.id);
    const job = await send({ contactId }, 'Answer');
    const unknown = await send({ twitterUserId: '424242' }, 'To a stranger');
    expect([job.status, unknown.status, unknown.contactId]).toEqual(['sent', 'sent', null]);
    await looked(tenant, us);
    const messages = await conversation(us, ann);
    expect(messages.map(({ body, jobId }: { body: string; jobId: number }) => [body, jobId])).toEqual([
      ['Hello', null],
      ['Answer', job.id],
    ]);
    const { body } = await live.get('/v1/messages', { accountId: us.id, limit: 100 });
    expect(bodies(body.items)).not.toContain('To a stranger');
  });

  test('settles a message whose outcome was unknown', async () => {
    const us = await listening();
    const ann = somebody();
    await us.write({ from: ann, text: 'Hello' });
    await looked(tenant, us);
    const [{ contactId }] = await conversation(us, ann);
    await us.react({ drop: 'after' });
    const { body } = await live.post('/v1/twitter/messages', { accountId: us.id, contactId, text: 'Answer' });
    expect(await settled(body.id)).toMatchObject({
      status: 'failed',
      lastError: expect.stringMatching(/may or may not have been delivered$/),
    });
    await looked(tenant, us);
    expect((await live.get(`/v1/jobs/${body.id}`)).body).toMatchObject({ status: 'sent', lastError: null });
    const messages = await conversation(us, ann);
    expect(messages.map(({ body: text, status, jobId }: never) => [text, status, jobId])).toEqual([
      ['Hello', 'received', null],
      ['Answer', 'sent', body.id],
    ]);
    expect((await account(us.id)).sentToday).toBe(1);
    expect((await live.post(`/v1/twitter/messages/${body.id}/cancel`)).body.details.reason).toBe('job_not_queued');
    await us.write({ to: ann, text: 'Answer' });
    await looked(tenant, us);
    expect(await conversation(us, ann)).toHaveLength(3);
  });

  test('is confirmed where nobody can read it, and the others are stored', async () => {
    const us = await listening();
    const [ann, stranger] = [somebody(), somebody()];
    await us.write(
      { from: stranger, text: 'x', as: { sender_id: 'nobody' } },
      { from: stranger, text: 'x', as: { created_at: 'yesterday' } },
      { from: stranger, text: 'x', as: { text: 7 } },
      { from: stranger, text: 'x', as: { id: '../1' } },
      { from: { ...stranger, name: 'N'.repeat(5000), username: 'no name!' }, text: 'y'.repeat(20_000) },
      { from: ann, text: 'Hello' },
    );
    await looked(tenant, us);
    expect(bodies(await conversation(us, ann))).toEqual(['Hello']);
    const { items } = (await live.get('/v1/messages', { accountId: us.id })).body;
    expect(items).toHaveLength(2);
    expect(items[1].body).toMatch(/^y+\n\n\[Left out of this message: the end of its text\.\]$/);
    const { body: contact } = await live.get(`/v1/contacts/${items[1].contactId}`);
    expect([contact.name.length, contact.username]).toEqual([200, null]);
    expect((await account(us.id)).inbound).toMatchObject({ status: 'ok', lastError: null });
  });

  test('is asked for as somebody says: not at all, and again', async () => {
    const us = await listening();
    const ann = somebody();
    const path = `/v1/twitter/accounts/${us.id}`;
    expect((await live.patch(path, { inbound: 'off' })).body.inbound).toMatchObject({ mode: 'off', status: 'off' });
    await us.write({ from: ann, text: 'Meanwhile' });
    expect((await live.patch(path, { inbound: 'polling' })).body.inbound).toMatchObject({ mode: 'polling' });
    await eventually(async () => (await conversation(us, ann)).length === 1, 'what was written meanwhile');
  });

  test('is asked for in the accounts that an operator connects, who are who X says', async () => {
    const person = newPerson();
    const made = { ...tenant, name: 'X', username: null, accessToken: person.token };
    const { id } = await commands.create.run(made);
    await eventually(async () => (await account(id)).inbound.status === 'ok', 'the first look');
    const ann = somebody();
    await person.write({ from: ann, text: 'Hello' }, { to: ann, text: 'Good day' });
    await looked(tenant, { id });
    expect(bodies(await conversation({ id }, ann))).toEqual(['Hello', 'Good day']);
    const again = await live.post('/v1/twitter/accounts', { accessToken: person.token });
    expect([again.status, again.body.details]).toEqual([409, { ...because('account_exists'), accountId: id }]);
    const twin = await commands.create.run(made);
    const failing = await eventually(async () => {
      const { inbound } = await account(twin.id);
      return inbound.status === 'failing' && inbound;
    }, 'the twin to be refused');
    expect(failing.lastError).toBe('another account of this environment is of the same user of X');
    const quiet = await commands.create.run({ ...made, inbound: 'off' });
    expect((await account(quiet.id)).inbound).toMatchObject({ mode: 'off', status: 'off' });
  });

  test('is empty in the sandbox', async () => {
    const token = `test_${newXId()}`;
    const { body } = await sandbox.post('/v1/twitter/accounts', { accessToken: token });
    expect(body.inbound).toMatchObject({ mode: 'polling', status: 'ok' });
    expect((await newPerson(token).seen()).x.calls).toEqual({});
  });
});

describe('an X account that cannot look', () => {
  test('waits until X resets its limit', async () => {
    const us = await listening();
    const until = Math.ceil(now() / secondMs) + 600;
    await us.has({ limitedUntil: until });
    await looked(tenant, us);
    const { dueAt, status } = await inboundOf(us.id);
    expect([status, Math.abs(Date.parse(dueAt as string) - until * secondMs) < 5 * secondMs]).toEqual([
      'failing',
      true,
    ]);
    expect((await account(us.id)).status).toBe('active');
    await us.has({ limitedUntil: 0 });
    await looked(tenant, us);
    expect((await account(us.id)).inbound).toMatchObject({ status: 'ok', lastError: null });
  });

  test('rests longer each time, and resumes where it was', async () => {
    const us = await listening();
    const ann = somebody();
    await us.write({ from: ann, text: 'Hello' });
    const rests: number[] = [];
    const answers = [
      { status: 503, body: {} },
      { status: 409, body: { title: 'Conflict' } },
      { drop: 'before' as const },
      { status: 200, body: ['?'] },
    ];
    for (const answer of answers) {
      await us.react({ method: 'dm_events', ...answer });
      const startedMs = Date.parse(await hurry(tenant, us));
      const { dueAt } = await eventually(async () => {
        const inbound = await inboundOf(us.id);
        return inbound.failures > rests.length && inbound;
      }, 'the failure');
      rests.push((Date.parse(dueAt as string) - startedMs) / secondMs);
    }
    for (const [index, rest] of rests.entries()) expect(rest).toBeGreaterThanOrEqual(5 * 2 ** index);
    expect((await account(us.id)).inbound).toMatchObject({ status: 'failing', lastError: 'X’s answer cannot be read' });
    await looked(tenant, us);
    expect(bodies(await conversation(us, ann))).toEqual(['Hello']);
    expect((await inboundOf(us.id)).failures).toBe(0);
  });

  test('asks for smaller pages of what is too long for anybody', async () => {
    const us = await listening();
    const ann = somebody();
    await us.write({ from: ann, text: 'Hello' });
    await us.react({ method: 'dm_events', status: 200, body: { data: 'x'.repeat(17 * 1024 * 1024) } });
    await looked(tenant, us);
    expect(bodies(await conversation(us, ann))).toEqual(['Hello']);
  });

  test('searches on where the limit has stopped it, the oldest first', async () => {
    const us = await listening();
    const ann = somebody();
    await us.has({ pageSize: 2, pagesLeft: 2 });
    await us.write(...texts(9).map((text) => ({ from: ann, text })));
    await looked(tenant, us);
    expect(await conversation(us, ann)).toEqual([]);
    expect((await inboundOf(us.id)).events?.from).toEqual(expect.any(String));
    await us.has({ pagesLeft: 3 });
    await looked(tenant, us);
    const older = texts(5);
    expect(bodies(await conversation(us, ann)).slice(0, 5)).toEqual(older);
    await us.has({ pagesLeft: 1000 });
    await looked(tenant, us);
    expect(bodies(await conversation(us, ann))).toEqual(texts(9));
  });

  test('ends where X leads in a circle', async () => {
    const us = await listening();
    const ann = somebody();
    await us.has({ pageSize: 1, isCircular: true });
    await us.write(...texts(3).map((text) => ({ from: ann, text })));
    const { calls: before } = (await us.seen()).x;
    await looked(tenant, us);
    expect(bodies(await conversation(us, ann))).toEqual(texts(3));
    expect(((await us.seen()).x.calls['dm_events'] ?? 0) - (before['dm_events'] ?? 0)).toBeLessThan(10);
  });

  test('begins again where X no longer knows the page that it was at', async () => {
    const us = await listening();
    const ann = somebody();
    await us.write(...texts(3).map((text) => ({ from: ann, text })));
    await inTenant(async (tx) => {
      const inbound = await tx.get(Inbounds, { id: us.id });
      const events = { ...(inbound.events as EventsKnown), from: 'gone' };
      tx.update(Inbounds, { ...inbound, events });
    });
    await looked(tenant, us);
    expect(bodies(await conversation(us, ann))).toEqual(texts(3));
    expect((await inboundOf(us.id)).events?.from).toBeNull();
  });
});

describe('the tokens of an account that is listened to', () => {
  test('are renewed once for concurrent senders and receivers', async () => {
    const us = await listening();
    const ann = somebody();
    await live.patch(`/v1/twitter/accounts/${us.id}`, { pacing: { peerGapMs: 0, gapMs: 0 } });
    await us.write({ from: ann, text: 'Hello' });
    await us.has({ expire: true });
    await us.react({ method: 'oauth2/token', lateMs: secondMs });
    const sends = texts(10).map((text) =>
      live.post('/v1/twitter/messages', { accountId: us.id, twitterUserId: '77', text }),
    );
    const [, ...jobs] = await Promise.all([looked(tenant, us), ...sends]);
    for (const { body } of jobs) expect(await settled(body.id)).toMatchObject({ status: 'sent', attempts: 1 });
    expect(bodies(await conversation(us, ann))).toEqual(['Hello']);
    const { renewals, calls } = (await us.seen()).x;
    expect([renewals, calls['oauth2/token']]).toEqual([1, 1]);
  });

  test('are renewed before they end', async () => {
    const us = await listening();
    await inTenant(async (tx) => {
      const account = await tx.get(Accounts, { id: us.id });
      const tokens = { ...us.app, accessToken: us.token, expiresAt: shifted(tx.now, 4 * minuteMs) };
      const secret = await encrypt(JSON.stringify(tokens), secretContext(tenant, us.id));
      tx.update(Accounts, { ...account, secret });
    });
    const { calls: before } = (await us.seen()).x;
    await looked(tenant, us);
    const { renewals, calls } = (await us.seen()).x;
    // X has refused nothing.
    expect([renewals, calls['dm_events']]).toEqual([1, (before['dm_events'] ?? 0) + 1]);
    await looked(tenant, us);
    expect((await us.seen()).x.renewals).toBe(1);
  });

  test('are nothing to look with once sending has found them gone', async () => {
    const us = await listening();
    await us.has({ expire: true });
    await us.letIn({ ...us.app, refreshToken: newXId() });
    await live.post('/v1/twitter/messages', { accountId: us.id, twitterUserId: '77', text: 'Hi' });
    await eventually(async () => (await account(us.id)).status === 'disconnected', 'the account to be lost');
    await hurry(tenant, us);
    await eventually(async () => (await inboundOf(us.id)).dueAt === null, 'the timer to be taken away');
    expect((await account(us.id)).inbound).toMatchObject({ mode: 'polling', status: 'off' });
  });

  test('are lost when a process dies before it stores the new ones, and the account is disconnected', async () => {
    const us = await listening();
    await us.has({ expire: true });
    const stored = await inTenant((tx) => tx.get(Accounts, { id: us.id }));
    const isAlive = await dyingAfter(0, async () => {
      const api = await openTwitterApi(tenant, stored);
      await api.request('GET', '/2/users/me').finally(() => api.close());
    });
    expect([isAlive, (await us.seen()).x.renewals]).toEqual([false, 1]);
    await looked(tenant, us);
    const { status, inbound } = await account(us.id);
    expect([status, inbound.status, inbound.lastError]).toEqual([
      'disconnected',
      'failing',
      'X takes the tokens of this account no longer: connect it again',
    ]);
    const { items } = (await live.get('/v1/events', { eventKind: 'account.status_changed', limit: 100 })).body;
    expect(items.map(({ data }: { data: object }) => data)).toContainEqual(
      expect.objectContaining({ account_id: String(us.id), channel: 'twitter', to_status: 'disconnected' }),
    );
  });
});

test('a receiver that dies loses no message and stores none twice', async () => {
  const us = await listening();
  const ann = somebody();
  await us.has({ pageSize: 10 });
  for (const [round, writes] of [0, 1, 7, 30].entries()) {
    await us.write(...texts(20, 20 * round).map((text) => ({ from: ann, text })));
    const due = await inTenant(async (tx) => ({
      account: await tx.get(Accounts, us),
      inbound: await tx.get(Inbounds, us),
    }));
    expect(await dyingAfter(writes, () => pollTwitter(tenant, due, now() + minuteMs))).toBe(writes > 20);
    await looked(tenant, us);
    expect(bodies(await conversation(us, ann))).toEqual(texts(20 * (round + 1)));
  }
});

test('known ids are all up to a point, and the latest above it', () => {
  const at = (ms: number, index = 0) => String((BigInt(ms) << 22n) + BigInt(index));
  const known = begunAt([at(5), at(10 * minuteMs), at(7)]);
  expect([isKnown(known, at(10 * minuteMs)), isKnown(known, at(10 * minuteMs, 1))]).toEqual([true, false]);
  const next = advance(known, [at(20 * minuteMs), at(19 * minuteMs)]);
  expect([20 * minuteMs, 19 * minuteMs, 11 * minuteMs].map((ms) => isKnown(next, at(ms)))).toEqual([true, true, true]);
  expect([19.5 * minuteMs, 18.5 * minuteMs, 21 * minuteMs].map((ms) => isKnown(next, at(ms)))).toEqual([
    false,
    false,
    false,
  ]);
  const many = advance(
    next,
    Array.from({ length: 300 }, (_, index) => at(20 * minuteMs, index)),
  );
  expect(many.seen).toHaveLength(200);
  for (const index of [0, 99, 100, 299]) expect(isKnown(many, at(20 * minuteMs, index))).toBe(true);
  expect(isKnown(many, at(20 * minuteMs, 300))).toBe(false);
});
