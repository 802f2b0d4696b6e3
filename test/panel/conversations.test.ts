import { expect, test } from 'vitest';
import { conversations } from '#test/conversations/world.ts';
import { signedIn } from '#test/panel/member.ts';

test('the inbox names the contact of a conversation, or sender and subject of a stranger', async () => {
  const { id, contact, write, mail } = await conversations();
  const owner = await signedIn(id);
  const ben = await contact('Ben', { company: 'Acme' });
  await write(ben, 'inbound', 'Hi');
  await mail({ from: 'Zoe <zoe@example.com>', subject: 'Norway', text: 'Do you ship?' });
  const shown = async (query = {}) => (await owner.get('/panel/conversations', query)).body.items;
  const zoes = { contact: null, thread: { subject: 'Norway', from: { name: 'Zoe', email: 'zoe@example.com' } } };
  const bens = { contact: { id: ben, name: 'Ben', username: null, email: null, company: 'Acme' }, thread: null };
  expect(await shown()).toEqual(expect.arrayContaining([expect.objectContaining(bens)]));
  expect(await shown({ q: 'norway' })).toMatchObject([zoes]);
  expect(await shown({ q: 'zoe@example' })).toMatchObject([zoes]);
  expect(await shown({ channel: 'telegram' })).toMatchObject([bens]);
});

test('unread conversations are counted, those of strangers included', async () => {
  const { id, contact, write, mail, list, live } = await conversations();
  const owner = await signedIn(id);
  const unread = async () => (await owner.get('/panel/conversations/unread')).body.unread;
  await write(await contact('Ben'), 'inbound', 'Hi');
  await contact('Zoe', { email: 'zoe@example.com' });
  await mail({ from: 'Zoe <zoe@example.com>', subject: 'Norway' });
  await mail({ from: 'Max <max@example.com>', subject: 'Sweden' });
  expect(await unread()).toBe(3);
  for (const one of await list()) await live.post(`/v1/conversations/${one.id}/read`, {}, 200);
  expect(await unread()).toBe(0);
});

test('the recipients of a reply are shown before it is sent', async () => {
  const { id, mail } = await conversations();
  const owner = await signedIn(id);
  const [zoe, max] = [
    { name: 'Zoe', email: 'zoe@example.com' },
    { name: 'Max', email: 'max@example.com' },
  ];
  const { threadId } = await mail({ from: 'Zoe <zoe@example.com>', cc: 'Max <max@example.com>' });
  const { body } = await owner.get(`/panel/email/threads/${threadId}/recipients`);
  expect(body).toMatchObject({ from: zoe, to: [zoe], others: expect.arrayContaining([max]) });
});
