import { beforeAll, describe, expect, test } from 'vitest';
import { addActivity } from '#lib/contacts/activity.ts';
import { chunks } from '#lib/core/async.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { Messages } from '#lib/entities/message.ts';
import { noteBlock } from '#lib/messages/block.ts';
import { storeMessage } from '#lib/messages/store.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { receiveMessage } from '#lib/transport/receiving/message.ts';
import { everyItem } from '#test/client.ts';
import { eventsAbout } from '#test/feed.ts';
import { hears, newAccount } from '#test/telegram/line.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let tenant: Tenant;
beforeAll(async () => {
  workspace = await newWorkspace();
  tenant = { workspaceId: workspace.id, env: 'live' };
});

const run = <Result>(work: (tx: UnitOfWork) => Promise<Result>) => transact(tenant, system, work);
const all = (path: string, query: Record<string, string | number> = {}) =>
  everyItem(workspace.live, path, { limit: 100, ...query });
const ids = (items: { id: number }[]) => items.map(({ id }) => id);
const descending = (numbers: readonly number[]) => [...numbers].sort((a, b) => b - a);
const newContact = async (fields: object = {}): Promise<number> =>
  (await workspace.live.post('/v1/contacts', { name: 'Ada', ...fields })).body.id;

/** So many messages of a contact, every third one outbound. */
/** As many as one transaction takes. */
const atOnce = 15;
const write = async (contactId: number, accountId: number | null, count: number) => {
  for (const indexes of chunks([...Array(count).keys()], atOnce))
    await run(async (tx) => {
      await tx.reserveIds({ [Messages.name]: indexes.length });
      for (const index of indexes)
        await storeMessage(tx, {
          contactId,
          channel: accountId === null ? 'email' : 'telegram',
          direction: index % 3 === 0 ? 'outbound' : 'inbound',
          status: index % 3 === 0 ? 'sent' : 'received',
          body: `message ${index}`,
          accountId,
          sentAt: `2026-11-22T10:00:${String(index % 60).padStart(2, '0')}Z`,
        });
    });
};

describe('the messages and activities of a workspace', () => {
  let contacts: [number, number, number];
  let accounts: [number, number];
  beforeAll(async () => {
    contacts = [await newContact(), await newContact(), await newContact()];
    accounts = [(await newAccount(tenant)).id, (await newAccount(tenant)).id];
    await write(contacts[0], accounts[0], 70);
    await write(contacts[1], accounts[1], 30);
    await write(contacts[2], null, 20);
  });

  test('are those of all contacts, newest first, page by page', async () => {
    const each = await Promise.all(contacts.map((id) => all(`/v1/contacts/${id}/messages`)));
    const messages = await all('/v1/messages');
    expect(messages).toHaveLength(120);
    expect(messages).toEqual(each.flat().sort((a, b) => b.id - a.id));
    const activities = await Promise.all(contacts.map((id) => all(`/v1/contacts/${id}/activities`)));
    expect(await all('/v1/activities', { limit: 1 })).toEqual(activities.flat().sort((a, b) => b.id - a.id));
  });

  test('are filtered as those of one contact, and by contact and account', async () => {
    const messages = await all('/v1/messages');
    const filters = {
      channel: ['telegram', 'email', 'twitter'],
      direction: ['inbound', 'outbound'],
      contactId: [...contacts, 999_999],
      accountId: [...accounts, 999_999],
    } as const;
    for (const [name, values] of Object.entries(filters))
      for (const value of values)
        expect(await all('/v1/messages', { [name]: value }), `${name} ${value}`).toEqual(
          messages.filter((message) => message[name] === value),
        );
    const time = '2026-11-22T10:00:15Z';
    expect(ids(await all('/v1/messages', { since: time }))).toEqual(
      ids(messages.filter(({ sentAt }) => sentAt >= time)),
    );
    expect(ids(await all('/v1/messages', { until: time, since: time }))).toEqual(
      ids(messages.filter(({ sentAt }) => sentAt === time)),
    );
    const together = { channel: 'telegram', direction: 'outbound', contactId: contacts[0], accountId: accounts[0] };
    expect(await all('/v1/messages', together)).toHaveLength(24);
    expect(await all('/v1/messages', { ...together, accountId: accounts[1] })).toEqual([]);
    expect(await all('/v1/messages', { ...together, contactId: contacts[1] })).toEqual([]);
  });

  test('are filtered by type and contact', async () => {
    await workspace.live.post(`/v1/contacts/${contacts[0]}/activities`, { text: 'a note' });
    const activities = await all('/v1/activities');
    for (const type of ['Note', 'Created', 'Note,Created', 'Assigned'])
      expect(await all('/v1/activities', { type })).toEqual(
        activities.filter((activity) => type.split(',').includes(activity.type)),
      );
    expect(await all('/v1/activities', { type: 'Note', contactId: contacts[0] })).toHaveLength(1);
    expect(await all('/v1/activities', { type: 'Note', contactId: contacts[1] })).toEqual([]);
  });

  test('are of one environment and one workspace', async () => {
    const other = await newWorkspace();
    for (const client of [workspace.test, other.live])
      for (const path of ['/v1/messages', '/v1/activities'])
        expect((await client.get(path)).body).toEqual({ items: [], nextCursor: null, hasMore: false });
    const { client } = await workspace.mint({ scopes: ['contacts:write'] });
    for (const path of ['/v1/messages', '/v1/activities']) await client.get(path, undefined, 403);
  });

  test('follow a merge', async () => {
    const [kept, gone] = [await newContact(), await newContact()];
    await write(gone, accounts[0], 5);
    await run((tx) => addActivity(tx, gone, 'Note', { text: 'moves along' }));
    const before = ids(await all('/v1/messages', { accountId: accounts[0] }));
    await workspace.live.post(`/v1/contacts/${kept}/merge`, { sourceContactId: gone }, 200);
    const messages = await all('/v1/messages', { accountId: accounts[0] });
    expect(ids(messages)).toEqual(before);
    expect(messages.slice(0, 5).map(({ contactId }) => contactId)).toEqual(Array(5).fill(kept));
    expect(ids(await all('/v1/messages')).slice(0, 5)).toEqual(before.slice(0, 5));
    const activities = await all('/v1/activities', { contactId: kept, type: 'Note' });
    expect(activities.map(({ text }) => text)).toEqual(['moves along']);
    expect((await all('/v1/activities')).filter(({ contactId }) => contactId === gone)).toEqual([]);
  });
});

describe('the inbound messages of a contact', () => {
  const isUnread = async (id: number) => (await workspace.live.get(`/v1/contacts/${id}`)).body.hasUnreadMessages;
  const read = (id: number, body: object = {}) => workspace.live.post(`/v1/contacts/${id}/messages/read`, body);

  test('are marked as read up to a message, and then all of them', async () => {
    const { id: accountId } = await newAccount(tenant);
    const first = await hears(tenant, accountId, { telegramUserId: 300 });
    const second = await hears(tenant, accountId, { telegramUserId: 300 });
    const contactId = Number(first.contactId);
    expect(await isUnread(contactId)).toBe(true);
    expect(await read(contactId, { upToMessageId: first.messageId })).toMatchObject({ status: 200, body: { read: 1 } });
    expect(await isUnread(contactId)).toBe(true);
    const shown = async () =>
      (await all(`/v1/contacts/${contactId}/messages`)).map(({ isRead, readAt }) => [isRead, typeof readAt]);
    expect(await shown()).toEqual([
      [false, 'object'],
      [true, 'string'],
    ]);
    expect((await read(contactId)).body).toEqual({ read: 1 });
    expect(await isUnread(contactId)).toBe(false);
    expect((await read(contactId)).body).toEqual({ read: 0 });
    const events = await eventsAbout(workspace.id, `contact/${contactId}`, 7);
    const [one, other] = events.filter(({ event }) => event === 'message.read');
    const data = { contact_id: String(contactId), channel: 'telegram', account_id: String(accountId) };
    expect([one, other]).toMatchObject([
      { event: 'message.read', data: { ...data, message_ids: [String(first.messageId)] } },
      { event: 'message.read', data: { ...data, message_ids: [String(second.messageId)] } },
    ]);
    await hears(tenant, accountId, { telegramUserId: 300 });
    expect(await isUnread(contactId)).toBe(true);
  });

  test('are marked as read in any number, and those of other contacts are not', async () => {
    const { id: accountId } = await newAccount(tenant);
    const [contactId, other] = [await newContact(), await newContact()];
    await write(contactId, accountId, 150);
    await write(other, accountId, 3);
    expect((await read(contactId)).body).toEqual({ read: 100 });
    const messages = await all(`/v1/contacts/${contactId}/messages`);
    expect(messages.filter(({ isRead }) => !isRead)).toEqual([]);
    expect(messages.filter(({ readAt }) => readAt !== null)).toHaveLength(100);
    expect([await isUnread(contactId), await isUnread(other)]).toEqual([false, true]);
    expect((await read(other)).body).toEqual({ read: 2 });
  });

  test('stay read or unread through a merge', async () => {
    const { id: accountId } = await newAccount(tenant);
    const [kept, gone] = [await newContact(), await newContact()];
    await write(gone, accountId, 3);
    await read(gone);
    await write(gone, accountId, 3);
    await workspace.live.post(`/v1/contacts/${kept}/merge`, { sourceContactId: gone });
    const messages = await all(`/v1/contacts/${kept}/messages`);
    expect(messages.map(({ isRead }) => isRead)).toEqual([false, false, true, true, true, true]);
    expect((await read(kept)).body).toEqual({ read: 2 });
  });

  test('are not marked as read by a foreign message, scope or environment', async () => {
    const [contactId, other] = [await newContact(), await newContact()];
    const { id: accountId } = await newAccount(tenant);
    await write(other, accountId, 2);
    const [message] = await all(`/v1/contacts/${other}/messages`);
    expect(await read(contactId, { upToMessageId: message?.id })).toMatchObject({
      status: 400,
      body: { details: { fields: [{ field: 'upToMessageId', code: 'unknown_reference' }] } },
    });
    expect((await read(999_999)).status).toBe(404);
    const { client } = await workspace.mint({ scopes: ['contacts:read'] });
    await client.post(`/v1/contacts/${other}/messages/read`, {}, 403);
    await workspace.test.post(`/v1/contacts/${other}/messages/read`, {}, 404);
    expect(await isUnread(other)).toBe(true);
  });
});

describe('the channels of a contact', () => {
  const channelsOf = async (id: number) => (await workspace.live.get(`/v1/contacts/${id}/channels`)).body;

  test('are the accounts that it has written to, or that have written to it', async () => {
    const bot = await newAccount(tenant, { name: 'Bot' });
    const other = await newAccount(tenant, { name: 'Other' });
    const contactId = await newContact({ username: 'lea' });
    expect(await channelsOf(contactId)).toEqual({ items: [], nextCursor: null, hasMore: false });
    await run((tx) =>
      receiveMessage(tx, {
        channel: 'telegram',
        accountId: bot.id,
        from: { telegramUserId: 400, username: 'lea' },
        body: 'Hello',
        threadId: null,
        sentAt: '2026-11-22T10:00:00Z',
      }),
    );
    await write(contactId, other.id, 1);
    await write(contactId, null, 2);
    const shown = { channel: 'telegram', userId: '400', username: 'lea', blockedAt: null };
    expect((await channelsOf(contactId)).items).toEqual([
      {
        ...shown,
        accountId: other.id,
        accountName: 'Other',
        lastInboundAt: null,
        lastOutboundAt: '2026-11-22T10:00:00Z',
      },
      { ...shown, accountId: bot.id, accountName: 'Bot', lastInboundAt: '2026-11-22T10:00:00Z', lastOutboundAt: null },
    ]);
    await run((tx) => noteBlock(tx, { accountId: bot.id, userId: '400' }, true, { at: '2026-11-22T11:00:00Z' }));
    const { items } = await channelsOf(contactId);
    expect(items.map((item: { blockedAt: string }) => item.blockedAt)).toEqual([null, '2026-11-22T11:00:00Z']);
    await workspace.live.get('/v1/contacts/999999/channels', undefined, 404);
    await workspace.test.get(`/v1/contacts/${contactId}/channels`, undefined, 404);
  });

  test('come from its conversation when the contact is older than they are', async () => {
    const { id: accountId } = await newAccount(tenant);
    const contactId = await newContact();
    await write(contactId, accountId, 4);
    await run(async (tx) => {
      const { reach: _, ...older } = await tx.get(Contacts, { id: contactId });
      tx.update(Contacts, older);
    });
    const times = { lastInboundAt: '2026-11-22T10:00:02Z', lastOutboundAt: '2026-11-22T10:00:03Z' };
    expect((await channelsOf(contactId)).items).toMatchObject([{ accountId, userId: null, ...times }]);
    const { id: later } = await newAccount(tenant);
    await write(contactId, later, 1);
    expect((await channelsOf(contactId)).items).toMatchObject([{ accountId: later }, { accountId, ...times }]);
  });

  test('are united when two contacts merge', async () => {
    const { id: accountId } = await newAccount(tenant);
    const first = await hears(tenant, accountId, { telegramUserId: 410 });
    const second = await hears(tenant, accountId, { telegramUserId: 411 });
    await workspace.live.post(`/v1/contacts/${first.contactId}/merge`, { sourceContactId: second.contactId });
    const { items } = await channelsOf(Number(first.contactId));
    expect(items.map(({ userId }: { userId: string }) => userId).sort()).toEqual(['410', '411']);
    expect(descending(items.map((item: { accountId: number }) => item.accountId))).toEqual([accountId, accountId]);
  });
});
