import { expect, test } from 'vitest';
import { dayMs, fromNow, hourMs } from '#lib/core/clock.ts';
import { conversations } from '#test/conversations/world.ts';
import { advance } from '#test/harness.ts';

test('a conversation begins with the first message and shows the last one', async () => {
  const { live, contact, write, list, of } = await conversations();
  const [ann] = [await contact('Ann'), await contact('Nobody')];
  expect(await list()).toEqual([]);
  await write(ann, 'outbound', 'Hello');
  const message = await write(ann, 'inbound', `${'x'.repeat(100)}\n${'y'.repeat(100)}`);
  const { id } = await of(ann);
  const { body } = await live.get(`/v1/conversations/${id}`);
  expect(body).toEqual({
    id,
    contactId: ann,
    threadId: null,
    channels: ['telegram'],
    state: 'open',
    snoozedUntil: null,
    assignedToUserId: null,
    unreadCount: 1,
    waitingSince: message.sentAt,
    lastMessage: {
      id: message.id,
      channel: 'telegram',
      direction: 'inbound',
      preview: `${'x'.repeat(100)} ${'y'.repeat(39)}`,
      status: 'received',
      sentAt: message.sentAt,
    },
    createdAt: expect.any(String),
    updatedAt: null,
  });
  expect(await list()).toEqual([body]);
});

test.each([0, 1, 7, 8, 2 ** 31, 'x'])('conversation %s of nobody answers 404', async (id) => {
  const { live } = await conversations();
  for (const call of [
    () => live.get(`/v1/conversations/${id}`),
    () => live.post(`/v1/conversations/${id}/state`, { state: 'done' }),
    () => live.post(`/v1/conversations/${id}/assignee`, { userId: null }),
    () => live.post(`/v1/conversations/${id}/read`, {}),
    () => live.post(`/v1/conversations/${id}/unread`, {}),
  ])
    expect((await call()).status).toBe(404);
});

test('conversations stand by their last message, and a page repeats none that moved up', async () => {
  const { live, contact, write } = await conversations();
  const names = ['Ann', 'Ben', 'Cleo', 'Dora'];
  const ids: Record<string, number> = {};
  for (const name of names) ids[name] = await contact(name);
  for (const name of names) {
    await write(ids[name] as number, 'outbound', 'Hello');
    await advance(1000);
  }
  const first = (await live.get('/v1/conversations', { limit: 2 })).body;
  expect(first).toMatchObject({ hasMore: true, nextCursor: expect.any(String) });
  expect(first.items.map(({ contactId }: { contactId: number }) => contactId)).toEqual([ids['Dora'], ids['Cleo']]);
  await write(ids['Ann'] as number, 'outbound', 'Up');
  const second = (await live.get('/v1/conversations', { limit: 2, cursor: first.nextCursor })).body;
  expect(second.items.map(({ contactId }: { contactId: number }) => contactId)).toEqual([ids['Ben']]);
  expect(second).toMatchObject({ hasMore: false, nextCursor: null });
});

test('conversations of earlier months are listed', async () => {
  const { contact, write, list } = await conversations();
  const [ann, ben] = [await contact('Ann'), await contact('Ben')];
  await write(ann, 'outbound', 'Hello');
  await advance(100 * dayMs);
  await write(ben, 'outbound', 'Hello');
  expect((await list()).map(({ contactId }) => contactId)).toEqual([ben, ann]);
});

test('a scheduled message counts when it is sent', async () => {
  const { test: sandbox } = await conversations();
  const bot = { kind: 'bot', botToken: 'test_first-bot', inbound: 'off' };
  const accountId = (await sandbox.post('/v1/telegram/accounts', bot, 201)).body.id;
  const contactId = (await sandbox.post('/v1/contacts', { name: 'Ann', username: 'ann_1' }, 201)).body.id;
  const send = (more: object) =>
    sandbox.post('/v1/telegram/messages', { accountId, contactId, text: 'Hi', ...more }, 202);
  const later = (await send({ runAt: fromNow(2 * hourMs) })).body;
  const list = async () => (await sandbox.get('/v1/conversations')).body.items;
  expect(await list()).toEqual([]);
  await send({});
  await advance(hourMs);
  expect(await list()).toMatchObject([{ lastMessage: { status: 'sent', preview: 'Hi' } }]);
  await sandbox.patch(`/v1/telegram/messages/${later.id}`, { text: 'Later' }, 200);
  await advance(2 * hourMs);
  expect(await list()).toMatchObject([{ lastMessage: { status: 'sent', preview: 'Later' }, waitingSince: null }]);
});

test.each([
  ['nothing', {}, 'state', 'required'],
  ['an unknown state', { state: 'closed' }, 'state', 'invalid_enum'],
  ['a snooze without a time', { state: 'snoozed' }, 'snoozedUntil', 'required'],
  ['a snooze in the past', { state: 'snoozed', snoozedUntil: '2020-01-01' }, 'snoozedUntil', 'out_of_range'],
  ['a snooze too far ahead', { state: 'snoozed', snoozedUntil: '2199-01-01' }, 'snoozedUntil', 'out_of_range'],
  ['a time without a snooze', { state: 'done', snoozedUntil: '2199-01-01' }, 'snoozedUntil', 'not_allowed'],
])('a state is refused when it is %s', async (_, body, field, code) => {
  const { live, contact, write, of } = await conversations();
  const ann = await contact('Ann');
  await write(ann, 'inbound', 'Hi');
  const answer = await live.post(`/v1/conversations/${(await of(ann)).id}/state`, body, 400);
  expect(answer.body.details.fields).toMatchObject([{ field, code }]);
});

test('a done conversation opens with a new message, which is told as an event', async () => {
  const { live, contact, write, of, events } = await conversations();
  const ann = await contact('Ann');
  await write(ann, 'inbound', 'Hi');
  const { id } = await of(ann);
  const { body } = await live.post(`/v1/conversations/${id}/state`, { state: 'done' }, 200);
  expect(body).toMatchObject({ state: 'done', updatedAt: expect.any(String) });
  await live.post(`/v1/conversations/${id}/state`, { state: 'done' }, 200);
  await write(ann, 'inbound', 'Out of office', { isAutomatic: true });
  await write(ann, 'outbound', 'Bye');
  expect(await of(ann)).toMatchObject({ state: 'done', waitingSince: null });
  await write(ann, 'inbound', 'Still there?');
  expect(await of(ann)).toMatchObject({ state: 'open' });
  expect(await events(id)).toEqual([
    {
      conversation_id: String(id),
      contact_id: String(ann),
      thread_id: null,
      changed: ['state'],
      changes: { state: { from: 'open', to: 'done' } },
      actor: expect.objectContaining({ type: 'api_key' }),
    },
    expect.objectContaining({
      changes: { state: { from: 'done', to: 'open' } },
      actor: { type: 'system', id: null },
    }),
  ]);
});

test('a snoozed conversation opens at its time, once', async () => {
  const { live, contact, write, of, list, events } = await conversations();
  const ann = await contact('Ann');
  await write(ann, 'inbound', 'Hi');
  const { id } = await of(ann);
  const snoozedUntil = fromNow(2 * hourMs);
  const snooze = { state: 'snoozed', snoozedUntil };
  const { body } = await live.post(`/v1/conversations/${id}/state`, snooze, 200);
  expect(body).toMatchObject(snooze);
  await advance(hourMs);
  expect(await of(ann)).toMatchObject(snooze);
  expect(await list({ state: 'open' })).toEqual([]);
  await advance(2 * hourMs);
  expect(await of(ann)).toMatchObject({ state: 'open', snoozedUntil: null });
  expect((await events(id)).at(-1)).toMatchObject({
    changed: ['state', 'snoozed_until'],
    changes: { state: { from: 'snoozed', to: 'open' }, snoozed_until: { from: snoozedUntil, to: null } },
  });
  expect(await events(id)).toHaveLength(2);
});

test.each([
  ['is opened', (post: Post) => post('state', { state: 'open' }), 'open'],
  ['is done', (post: Post) => post('state', { state: 'done' }), 'done'],
  [
    'is snoozed for longer',
    (post: Post) => post('state', { state: 'snoozed', snoozedUntil: fromNow(9 * hourMs) }),
    'snoozed',
  ],
])('a snooze does not come back when the conversation %s', async (_, act, state) => {
  const { live, contact, write, of } = await conversations();
  const ann = await contact('Ann');
  await write(ann, 'inbound', 'Hi');
  const { id } = await of(ann);
  const post: Post = (path, body) => live.post(`/v1/conversations/${id}/${path}`, body, 200);
  await post('state', { state: 'snoozed', snoozedUntil: fromNow(hourMs) });
  await act(post);
  await advance(3 * hourMs);
  expect(await of(ann)).toMatchObject({ state });
});
type Post = (path: string, body: object) => Promise<unknown>;

test('a conversation is assigned to an active member or to nobody', async () => {
  const { live, memberId, contact, write, of, list, events } = await conversations();
  const ann = await contact('Ann');
  await write(ann, 'inbound', 'Hi');
  const { id } = await of(ann);
  const assign = (userId: unknown, status: number) => live.post(`/v1/conversations/${id}/assignee`, { userId }, status);
  expect((await assign(memberId, 200)).body).toMatchObject({ assignedToUserId: memberId });
  expect((await assign(99_999, 400)).body.details.fields).toMatchObject([
    { field: 'userId', code: 'unknown_reference' },
  ]);
  expect(await list({ assignedToUserId: memberId })).toHaveLength(1);
  expect(await list({ assignedToUserId: 'none' })).toEqual([]);
  expect((await assign(null, 200)).body).toMatchObject({ assignedToUserId: null });
  expect(await list({ assignedToUserId: 'none' })).toHaveLength(1);
  expect((await live.get(`/v1/contacts/${ann}`)).body).toMatchObject({ assignedToUserId: null });
  expect((await events(id)).map(({ changes }) => changes)).toEqual([
    { assigned_to_user_id: { from: null, to: String(memberId) } },
    { assigned_to_user_id: { from: String(memberId), to: null } },
  ]);
});

test('a stale If-Match is refused, one of before a new message is not', async () => {
  const { live, contact, write, of } = await conversations();
  const ann = await contact('Ann');
  await write(ann, 'inbound', 'Hi');
  const path = `/v1/conversations/${(await of(ann)).id}`;
  const tag = (await live.get(path)).headers['etag'] as string;
  await write(ann, 'inbound', 'And');
  const done = await live.post(`${path}/state`, { state: 'done' }, 200, { 'If-Match': tag });
  await live.post(`${path}/state`, { state: 'open' }, 412, { 'If-Match': tag });
  await live.post(`${path}/state`, { state: 'open' }, 200, { 'If-Match': done.headers['etag'] as string });
});

test('reading and unreading a conversation agrees with the messages of its contact', async () => {
  const { live, contact, write, of, list, events } = await conversations();
  const ann = await contact('Ann');
  await write(ann, 'outbound', 'Hello');
  const { id } = await of(ann);
  const post = async (path: string) => (await live.post(`/v1/conversations/${id}/${path}`, {}, 200)).body.unreadCount;
  expect(await post('unread')).toBe(0);
  await write(ann, 'inbound', 'Hi');
  await write(ann, 'inbound', 'Are you there?');
  expect(await of(ann)).toMatchObject({ unreadCount: 2 });
  expect(await post('unread')).toBe(2);
  expect(await post('read')).toBe(0);
  expect(await of(ann)).toMatchObject({ unreadCount: 0 });
  expect((await live.get(`/v1/contacts/${ann}`)).body).toMatchObject({ hasUnreadMessages: false });
  expect(await list({ unread: true })).toEqual([]);
  expect(await list({ unread: false })).toHaveLength(1);
  expect(await post('unread')).toBe(1);
  expect(await of(ann)).toMatchObject({ unreadCount: 1 });
  expect((await live.get(`/v1/contacts/${ann}`)).body).toMatchObject({ hasUnreadMessages: true });
  expect((await live.post(`/v1/contacts/${ann}/messages/read`, {}, 200)).body).toEqual({ read: 1 });
  expect(await of(ann)).toMatchObject({ unreadCount: 0 });
  expect((await events(id)).map(({ changes }) => changes)).toEqual([
    { unread_count: { from: 2, to: 0 } },
    { unread_count: { from: 0, to: 1 } },
    { unread_count: { from: 1, to: 0 } },
  ]);
});
