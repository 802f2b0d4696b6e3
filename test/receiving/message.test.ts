import { randomInt } from 'node:crypto';
import * as v from 'valibot';
import { beforeAll, expect, test } from 'vitest';
import { Problem } from '#lib/core/problem.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { readFeed } from '#lib/publishing/feed/feed.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { ReceiveMessage, receiveMessage } from '#lib/transport/receiving/message.ts';
import { type Client, eventually } from '#test/client.ts';
import { hears, newAccount } from '#test/telegram/line.ts';
import { newWorkspace } from '#test/workspace.ts';

let live: Client;
let tenant: Tenant;
let accountId: number;

beforeAll(async () => {
  const workspace = await newWorkspace();
  live = workspace.live;
  tenant = { workspaceId: workspace.id, env: 'live' };
  accountId = (await newAccount(tenant)).id;
});

const eventsOf = (contactId: number) =>
  eventually(async () => {
    const { items } = await readFeed(new UnitOfWork(tenant, system), 0, 1000);
    const found = items.map(({ body }) => JSON.parse(body)).filter(({ data }) => data.contact_id === String(contactId));
    return found.some(({ event }) => event === 'message.created') && found;
  }, 'message.created');

test('concurrent messages of a stranger create one contact', async () => {
  const from = { telegramUserId: randomInt(10_000, 2 ** 40), username: 'hanna', name: 'Hanna' };
  // Who meets the others for too long is busy, and its queue delivers it again.
  const received = await Promise.all(
    Array.from({ length: 10 }, async () => {
      for (;;) {
        const stored = await hears(tenant, accountId, from).catch((error) => {
          if (!(error instanceof Problem && error.status === 503)) throw error;
        });
        if (stored) return stored;
      }
    }),
  );
  expect(new Set(received.map(({ contactId }) => contactId)).size).toBe(1);
  expect(new Set(received.map(({ messageId }) => messageId)).size).toBe(10);
  const contactId = received[0]?.contactId as number;
  const { body } = await live.get(`/v1/contacts/${contactId}`);
  expect(body).toMatchObject({ platform: 'telegram', name: 'Hanna', username: 'hanna', hasUnreadMessages: true });
  expect(body.lastMessageAt).not.toBeNull();
  const list = await live.get(`/v1/contacts/${contactId}/messages`, { limit: 100 });
  expect(list.body.items).toHaveLength(10);
});

test('an inbound message loses its control characters and the excess of a name', async () => {
  const { from, body, ...message } = v.parse(ReceiveMessage, {
    channel: 'telegram',
    accountId,
    from: { telegramUserId: 7050, name: ` \u0000Eve\r\n\u009b${'😀'.repeat(300)}` },
    body: '\u0007one\n\ttwo\u007f\r\n',
  });
  expect([from.name, body]).toEqual([`Eve ${'😀'.repeat(196)}`, 'one\n\ttwo']);
  const { contactId } = await transact(tenant, system, (tx) => receiveMessage(tx, { ...message, from, body }));
  expect((await live.get(`/v1/contacts/${contactId}`)).body.name).toBe(from.name);
  expect((await live.get(`/v1/contacts/${contactId}/messages`)).body.items[0].body).toBe(body);
});

test('an inbound message with halves of characters is stored with what can be', async () => {
  const { contactId } = await transact(tenant, system, (tx) =>
    receiveMessage(
      tx,
      v.parse(ReceiveMessage, {
        channel: 'telegram',
        accountId,
        from: { telegramUserId: 7052, username: 'half\ud83d', name: 'half \ud83d' },
        body: '\ude00 half',
        threadId: 'half \ud83d',
      }),
    ),
  );
  expect((await live.get(`/v1/contacts/${contactId}`)).body).toMatchObject({ name: 'half \ufffd', username: null });
  const [{ body, threadId }] = (await live.get(`/v1/contacts/${contactId}/messages`)).body.items;
  expect([body, threadId]).toEqual(['\ufffd half\n\n[Left out of this message: the id of its thread.]', null]);
});

test('an inbound message has no thread id that cannot be kept whole, and says so', async () => {
  const message = { channel: 'telegram', accountId, from: { telegramUserId: 7051 }, body: 'x'.repeat(10_000) };
  const { contactId } = await transact(tenant, system, (tx) =>
    receiveMessage(tx, v.parse(ReceiveMessage, { ...message, threadId: 't'.repeat(201) })),
  );
  const [{ body, threadId }] = (await live.get(`/v1/contacts/${contactId}/messages`)).body.items;
  expect([threadId, body.length]).toEqual([null, 10_000]);
  expect(body).toMatch(/x\n\n\[Left out of this message: the id of its thread\.\]$/);
});

test('an inbound message tells of the contact and of the message', async () => {
  const { contactId, messageId } = await hears(tenant, accountId, { telegramUserId: 7002 });
  const events = await eventsOf(contactId);
  expect(events.map(({ event, data }) => ({ event, data }))).toEqual([
    {
      event: 'contact.created',
      data: {
        contact_id: String(contactId),
        platform: 'telegram',
        name: '7002',
        username: null,
        phone: null,
        email: null,
        company: null,
        stage: 'new',
        fields: {},
        actor: { type: 'system', id: null },
      },
    },
    {
      event: 'message.created',
      data: {
        contact_id: String(contactId),
        channel: 'telegram',
        direction: 'inbound',
        body: 'Hello',
        thread_id: null,
        message_id: String(messageId),
        account_id: String(accountId),
        job_id: null,
      },
    },
  ]);
});

test('an inbound message is of the known contact with the id, else with the username on that platform', async () => {
  const { body: contact } = await live.post('/v1/contacts', { username: 'Iris' });
  const { body: elsewhere } = await live.post('/v1/contacts', { username: 'jon', platform: 'twitter' });
  expect((await hears(tenant, accountId, { telegramUserId: 7003, username: '@iris' })).contactId).toBe(contact.id);
  expect((await hears(tenant, accountId, { telegramUserId: 7003, username: 'renamed' })).contactId).toBe(contact.id);
  expect((await hears(tenant, accountId, { telegramUserId: 7004, username: 'jon' })).contactId).not.toBe(elsewhere.id);
  // The username has passed to another person.
  expect((await hears(tenant, accountId, { telegramUserId: 7005, username: 'iris' })).contactId).not.toBe(contact.id);
});

test('an inbound message still finds its contact after a merge', async () => {
  const first = await hears(tenant, accountId, { telegramUserId: 7006, username: 'kim' });
  const second = await hears(tenant, accountId, { telegramUserId: 7007, username: 'kim_2' });
  const merged = await live.post(`/v1/contacts/${first.contactId}/merge`, { sourceContactId: second.contactId });
  expect(merged.status).toBe(200);
  expect((await hears(tenant, accountId, { telegramUserId: 7007 })).contactId).toBe(first.contactId);
  await eventually(async () => {
    const { body } = await live.get(`/v1/contacts/${first.contactId}/messages`);
    return body.items.length === 3;
  }, 'the messages to follow');
});

test('an inbound message of nobody is refused', async () => {
  await expect(hears(tenant, accountId, { name: 'Lea' })).rejects.toThrow(
    'from must have a telegram user id or a username',
  );
  await expect(hears(tenant, 999_999, { telegramUserId: 1 })).rejects.toThrow('account not found');
});

const read = (given: object) =>
  v.parse(ReceiveMessage, {
    channel: 'telegram',
    accountId: 1,
    from: { telegramUserId: 1 },
    body: 'Hello',
    ...given,
  });

test('a long text is shortened to the limit with a note', () => {
  const { body } = read({ body: '😀'.repeat(10_001) });
  expect([...body]).toHaveLength(10_000);
  expect(body).toMatch(/😀\n\n\[Left out of this message: the end of its text.\]$/u);
  expect(read({ body: '\u0001\u0002' }).body).toBe('[Left out of this message: control characters.]');
});

test('a sender’s name is shortened and cleaned of control characters', () => {
  const from = { telegramUserId: 1, name: `A\u0000n\na${'漢'.repeat(300)}`, username: 'no user name' };
  expect(read({ from }).from).toEqual({
    telegramUserId: 1,
    name: `An a${'漢'.repeat(196)}`,
    username: undefined,
  });
});

test('an empty message is refused', () => {
  expect(() => read({ body: '  ' })).toThrow();
});

test('a conversation is filtered by channel, direction and time', async () => {
  const { contactId } = await hears(tenant, accountId, { telegramUserId: 7010 });
  const count = async (query: Record<string, string>) =>
    (await live.get(`/v1/contacts/${contactId}/messages`, query)).body.items.length;
  expect(await count({})).toBe(1);
  expect(await count({ channel: 'twitter' })).toBe(0);
  expect(await count({ direction: 'outbound' })).toBe(0);
  expect(await count({ since: '2100-01-01T00:00:00Z' })).toBe(0);
  expect(await count({ until: '2100-01-01T00:00:00Z', since: '2000-01-01T00:00:00Z' })).toBe(1);
  await live.get('/v1/contacts/999999/messages', undefined, 404);
  await live.get(`/v1/contacts/${contactId}/messages`, { direction: 'sideways' }, 400);
});
