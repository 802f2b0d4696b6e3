import { expect, test } from 'vitest';
import { scopes } from '#lib/core/scopes.ts';
import { conversations } from '#test/conversations/world.ts';
import { advance } from '#test/harness.ts';

const withoutMail = scopes.filter((scope) => scope !== 'email:read');

test('the mail of a stranger is a conversation of its thread, with states of its own', async () => {
  const { live, mail, list, events } = await conversations();
  const { threadId } = await mail({ from: 'Zoe <zoe@example.com>', subject: 'Norway', text: 'Do you ship?' });
  const [shown] = await list();
  expect(shown).toMatchObject({
    contactId: null,
    threadId,
    channels: ['email'],
    state: 'open',
    unreadCount: 1,
    waitingSince: expect.any(String),
    lastMessage: { channel: 'email', direction: 'inbound', preview: 'Do you ship?' },
  });
  const path = `/v1/conversations/${shown.id}`;
  expect((await live.get(path)).body).toEqual(shown);
  await live.post(`${path}/state`, { state: 'done' }, 200);
  expect((await live.post(`${path}/read`, {}, 200)).body.unreadCount).toBe(0);
  expect((await live.get(`/v1/email/threads/${threadId}`)).body).toMatchObject({ status: 'open', unreadCount: 0 });
  expect((await live.post(`${path}/unread`, {}, 200)).body.unreadCount).toBe(1);
  expect(await events(shown.id)).toMatchObject([
    { contact_id: null, thread_id: String(threadId), changes: { state: { from: 'open', to: 'done' } } },
    { changes: { unread_count: { from: 1, to: 0 } } },
    { changes: { unread_count: { from: 0, to: 1 } } },
  ]);
  await mail({ from: 'Zoe <zoe@example.com>', subject: 'Re: Norway', text: 'Hello?' });
  expect(await list()).toMatchObject([{ id: shown.id, state: 'open', lastMessage: { preview: 'Hello?' } }]);
});

test('the conversation of a thread becomes that of the contact who writes in it', async () => {
  const { live, memberId, mail, contact, list } = await conversations();
  const { threadId } = await mail({ from: 'Zoe <zoe@example.com>', subject: 'Norway' });
  const [stranger] = await list();
  await live.post(`/v1/conversations/${stranger.id}/assignee`, { userId: memberId }, 200);
  const zoe = await contact('Zoe', { email: 'zoe@example.com' });
  await advance(2000);
  await mail({ from: 'Zoe <zoe@example.com>', subject: 'Re: Norway', text: 'Hello?' });
  const [shown, ...others] = await list();
  expect(others).toEqual([]);
  expect(shown).toMatchObject({
    contactId: zoe,
    threadId: null,
    assignedToUserId: memberId,
    waitingSince: stranger.waitingSince,
    createdAt: stranger.createdAt,
    lastMessage: { preview: 'Hello?' },
  });
  expect((await live.get(`/v1/email/threads/${threadId}`)).body.contactId).toBe(zoe);
  expect((await live.get(`/v1/conversations/${stranger.id}`)).body).toEqual(shown);
});

test('a stranger in the thread of a contact writes in the conversation of the contact', async () => {
  const { live, mail, contact, of } = await conversations();
  const zoe = await contact('Zoe', { email: 'zoe@example.com' });
  await mail({ from: 'Zoe <zoe@example.com>', cc: 'Max <max@example.com>', messageId: '1@example.com' });
  await live.post(`/v1/conversations/${(await of(zoe)).id}/state`, { state: 'done' }, 200);
  await advance(2000);
  await mail({ from: 'Max <max@example.com>', inReplyTo: '1@example.com', subject: 'Re: A question', text: 'Me too' });
  expect(await of(zoe)).toMatchObject({ state: 'open', lastMessage: { preview: 'Me too' } });
});

test('spam opens no conversation', async () => {
  const { live, mail, list } = await conversations();
  const { threadId } = await mail({ from: 'Zoe <zoe@example.com>', subject: 'Cheap' });
  const [{ id }] = await list();
  await live.post(`/v1/email/threads/${threadId}/status`, { status: 'spam' }, 200);
  await live.post(`/v1/conversations/${id}/state`, { state: 'done' }, 200);
  await mail({ from: 'Zoe <zoe@example.com>', subject: 'Re: Cheap' });
  expect(await list()).toMatchObject([{ id, state: 'done' }]);
});

test('mail is not shown to a key without email:read', async () => {
  const { mint, mail, contact, write, list, of } = await conversations();
  const { client } = await mint({ scopes: withoutMail });
  const [zoe, ann] = [await contact('Zoe', { email: 'zoe@example.com' }), await contact('Ann')];
  await mail({ from: 'Max <max@example.com>' });
  await mail({ from: 'Zoe <zoe@example.com>' });
  await write(ann, 'inbound', 'Hi');
  expect(await list()).toHaveLength(3);
  const shown = async (query = {}) => (await client.get('/v1/conversations', query)).body.items;
  expect(await shown()).toMatchObject([{ contactId: ann }]);
  for (const one of await list({ channel: 'email' }))
    for (const call of [
      () => client.get(`/v1/conversations/${one.id}`),
      () => client.post(`/v1/conversations/${one.id}/state`, { state: 'done' }),
      () => client.post(`/v1/conversations/${one.id}/assignee`, { userId: null }),
      () => client.post(`/v1/conversations/${one.id}/read`, {}),
      () => client.post(`/v1/conversations/${one.id}/unread`, {}),
    ])
      expect((await call()).status).toBe(404);
  await write(zoe, 'inbound', 'On Telegram now');
  await advance(2000);
  await mail({ from: 'Zoe <zoe@example.com>', text: 'By mail again' });
  expect(await of(zoe)).toMatchObject({ channels: ['telegram', 'email'], unreadCount: 3 });
  const seen = { contactId: zoe, channels: ['telegram'], unreadCount: 1, lastMessage: null };
  expect(await shown({ limit: 1 })).toMatchObject([seen]);
  expect(await shown({ channel: 'email' })).toEqual([]);
  expect(await shown({ q: 'question' })).toEqual([]);
});
