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
