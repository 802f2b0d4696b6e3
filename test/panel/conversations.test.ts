import { expect, test } from 'vitest';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { createAccount } from '#lib/messages/accounts/store.ts';
import { storeMessage } from '#lib/messages/store.ts';
import { transact } from '#lib/table/transact.ts';
import { type Client, everyItem } from '#test/client.ts';
import { signedIn } from '#test/panel/member.ts';
import { newWorkspace } from '#test/workspace.ts';

async function inbox() {
  const { id } = await newWorkspace();
  const owner = await signedIn(id);
  const tenant: Tenant = { workspaceId: id, env: 'live' };
  const account = {
    channel: 'telegram',
    kind: 'bot',
    name: 'Bot',
    username: null,
    dailyLimit: 10,
    secret: '1:a',
  } as const;
  const { id: accountId } = await transact(tenant, system, (tx) => createAccount(tx, account));
  const contact = async (name: string, more: object = {}) =>
    (await owner.post('/v1/contacts', { name, ...more })).body.id as number;
  const write = (contactId: number, direction: 'inbound' | 'outbound', body: string) =>
    transact(tenant, system, (tx) =>
      storeMessage(tx, {
        contactId,
        channel: 'telegram',
        direction,
        status: direction === 'inbound' ? 'received' : 'sent',
        body,
        accountId,
      }),
    );
  return { owner, contact, write };
}

const names = async (client: Client, query: Record<string, string | number | boolean> = {}) =>
  (await everyItem(client, '/panel/conversations', query)).map(({ contact }) => contact.name);

test('conversations stand by their last message, those with something unread first', async () => {
  const { owner, contact, write } = await inbox();
  const ids: Record<string, number> = {};
  for (const name of ['Ann', 'Ben', 'Cleo', 'Dora', 'Eve']) ids[name] = await contact(name);
  await contact('Nobody');
  for (const name of ['Ann', 'Ben', 'Cleo', 'Dora', 'Eve'])
    await write(ids[name] as number, 'outbound', `Hello ${name}`);
  expect(await names(owner)).toEqual(['Eve', 'Dora', 'Cleo', 'Ben', 'Ann']);
  await write(ids['Ben'] as number, 'inbound', 'x'.repeat(500));
  await write(ids['Dora'] as number, 'inbound', 'Hi');
  await write(ids['Ann'] as number, 'outbound', 'Again');
  const expected = ['Dora', 'Ben', 'Ann', 'Eve', 'Cleo'];
  for (const limit of [1, 2, 3, 100]) expect([limit, await names(owner, { limit })]).toEqual([limit, expected]);
  const { body } = await owner.get('/panel/conversations');
  expect(Object.keys(body)).toEqual(['items', 'nextCursor', 'hasMore']);
  expect(body.items[1]).toEqual({
    contact: { id: ids['Ben'], name: 'Ben', company: null, stage: 'new' },
    hasUnreadMessages: true,
    channels: ['telegram'],
    lastMessage: {
      id: expect.any(Number),
      channel: 'telegram',
      direction: 'inbound',
      body: 'x'.repeat(200),
      createdAt: expect.any(String),
      status: 'received',
    },
  });
  expect(await names(owner, { isUnread: true, limit: 1 })).toEqual(['Dora', 'Ben']);
  expect(await names(owner, { isUnread: false, limit: 1 })).toEqual(['Ann', 'Eve', 'Cleo']);
  expect(await names(owner, { q: 'AN' })).toEqual(['Ann']);
  expect(await names(owner, { channel: 'email' })).toEqual([]);
  await owner.post(`/v1/contacts/${ids['Dora']}/messages/read`, {}, 200);
  expect(await names(owner, { limit: 2 })).toEqual(['Ben', 'Ann', 'Dora', 'Eve', 'Cleo']);
});

test('a page of conversations repeats none that moved up, and omits those merged or erased', async () => {
  const { owner, contact, write } = await inbox();
  const [ann, ben, cleo] = [await contact('Ann'), await contact('Ben'), await contact('Cleo')];
  for (const id of [ann, ben, cleo]) await write(id, 'outbound', 'Hello');
  const first = await owner.get('/panel/conversations', { limit: 1 });
  expect(first.body.items[0].contact.id).toBe(cleo);
  await write(cleo, 'outbound', 'And again');
  await write(ann, 'outbound', 'Up');
  const rest = await everyItem(owner, '/panel/conversations', { limit: 1, after: first.body.nextCursor });
  expect(rest.map(({ contact: { id } }) => id)).toEqual([ben]);
  await owner.post(`/v1/contacts/${ben}/merge`, { sourceContactId: cleo }, 200);
  expect((await everyItem(owner, '/panel/conversations')).map(({ contact: { id } }) => id).sort()).toEqual(
    [ann, ben].sort(),
  );
  await owner.post(`/v1/contacts/${ben}/erasure`, { confirm: String(ben) }, 202);
  expect((await everyItem(owner, '/panel/conversations')).map(({ contact: { id } }) => id)).toEqual([ann]);
});
