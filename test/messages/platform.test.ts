import { beforeAll, expect, test } from 'vitest';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { findContact } from '#lib/messages/recipient.ts';
import { findMessageAt, markOutboundRead, settleMessage, storeMessage } from '#lib/messages/store.ts';
import { bytesOf } from '#lib/table/size.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { receiveMessage } from '#lib/transport/receiving/message.ts';
import { everyItem } from '#test/client.ts';
import { eventsAbout } from '#test/feed.ts';
import { newAccount } from '#test/telegram/line.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let tenant: Tenant;
let accountId: number;
beforeAll(async () => {
  workspace = await newWorkspace();
  tenant = { workspaceId: workspace.id, env: 'live' };
  accountId = (await newAccount(tenant)).id;
});

type Received = Parameters<typeof receiveMessage>[1];
const run = <Result>(work: (tx: UnitOfWork) => Promise<Result>, of = tenant) => transact(of, system, work);
const told = (telegramUserId: number, platformMessageId: number): Received => ({
  channel: 'telegram',
  accountId,
  from: { telegramUserId },
  body: 'Helo',
  threadId: null,
  platformMessageId: String(platformMessageId),
});
const receive = (telegramUserId: number, platformMessageId: number, given: Partial<Received> = {}) =>
  run((tx) => receiveMessage(tx, { ...told(telegramUserId, platformMessageId), ...given }));
const conversation = (contactId: number | null) =>
  everyItem(workspace.live, `/v1/contacts/${contactId}/messages`, { limit: 100 });
const about = (contactId: number | null, count: number) => eventsAbout(workspace.id, `contact/${contactId}`, count);

/** What the account wrote to somebody, by its ids at the platform. */
async function write(telegramUserId: number, platformMessageIds: readonly number[]) {
  const contact = await run((tx) => findContact(tx, 'telegram', { telegramUserId }));
  for (const messageId of platformMessageIds) {
    await run((tx) =>
      storeMessage(tx, {
        contactId: contact?.id ?? null,
        channel: 'telegram',
        direction: 'outbound',
        status: 'sent',
        body: `message ${messageId}`,
        accountId,
        atPlatform: { userId: String(telegramUserId), messageId: String(messageId) },
      }),
    );
  }
}

test('a message that a platform repeats, also concurrently, is stored once', async () => {
  const received = await Promise.all(Array.from({ length: 6 }, () => receive(100, 1)));
  expect(new Set(received.map(({ messageId }) => messageId)).size).toBe(1);
  const [first] = received;
  expect(await receive(100, 1, { body: 'Another' })).toEqual(first);
  expect(await conversation(first?.contactId ?? null)).toMatchObject([
    { id: first?.messageId, body: 'Helo', editedAt: null, readAt: null },
  ]);
  expect((await receive(100, 2)).messageId).not.toBe(first?.messageId);
  // Each person's messages are counted by themselves, and those of each account.
  expect((await receive(101, 1)).messageId).not.toBe(first?.messageId);
  const { id: other } = await newAccount(tenant);
  expect((await receive(100, 1, { accountId: other })).messageId).not.toBe(first?.messageId);
  expect((await about(first?.contactId ?? null, 4)).map(({ event }) => event)).toEqual([
    'contact.created',
    'message.created',
    'message.created',
    'message.created',
  ]);
});

test('a message of a known contact writes seven rows, none of them large', async () => {
  await receive(105, 1);
  const { changes, writes, events } = await run(async (tx) => {
    await receiveMessage(tx, told(105, 2));
    return tx.work;
  });
  expect([changes.length + writes.length, events.length > 0]).toEqual([7, true]);
  for (const change of changes) expect(bytesOf(change)).toBeLessThan(1024);
});

test('two of the same in one unit of work are one', async () => {
  const message = { channel: 'telegram', accountId, body: 'Hi', threadId: null, platformMessageId: '1' } as const;
  const [first, again, edited] = await run(async (tx) => [
    await receiveMessage(tx, { ...message, from: { telegramUserId: 110 } }),
    await receiveMessage(tx, { ...message, from: { telegramUserId: 110 } }),
    await receiveMessage(tx, { ...message, from: { telegramUserId: 110 }, body: 'Hey', editedAt: tx.now }),
  ]);
  expect([again, edited]).toEqual([first, first]);
  expect(await conversation(first?.contactId ?? null)).toMatchObject([{ body: 'Hey' }]);
});

test('an edit replaces the text and emits an event, but an older or repeated one does not', async () => {
  const { contactId, messageId } = await receive(120, 7);
  const edit = { body: 'Hello', editedAt: '2026-11-22T10:00:00Z' };
  for (const given of [edit, edit, { body: 'Hell', editedAt: '2026-11-22T09:59:59Z' }])
    expect(await receive(120, 7, given)).toEqual({ contactId, messageId });
  expect(await conversation(contactId)).toMatchObject([
    { id: messageId, body: 'Hello', editedAt: edit.editedAt, isRead: false },
  ]);
  await receive(120, 8);
  const [, , ...later] = await about(contactId, 4);
  expect(later).toMatchObject([
    {
      event: 'message.updated',
      data: {
        message_id: String(messageId),
        contact_id: String(contactId),
        channel: 'telegram',
        account_id: String(accountId),
        changes: { body: { from: 'Helo', to: 'Hello' } },
      },
    },
    { event: 'message.created' },
  ]);
});

test('an edit of what is not there is a message, and what it was before comes too late', async () => {
  const edited = await receive(130, 3, { body: 'Hello', editedAt: '2026-11-22T10:00:00Z' });
  expect(await receive(130, 3)).toEqual(edited);
  expect(await conversation(edited.contactId)).toMatchObject([{ body: 'Hello', editedAt: '2026-11-22T10:00:00Z' }]);
  expect((await about(edited.contactId, 2)).map(({ event }) => event)).toEqual(['contact.created', 'message.created']);
});

test('outbound messages are read up to a message, each once', async () => {
  const { contactId } = await receive(140, 1);
  await write(140, [2, 3, 5, 10]);
  const upTo = (messageId: number) =>
    run((tx) =>
      markOutboundRead(tx, { accountId, userId: '140', messageId: String(messageId) }, '2100-01-01T00:00:00Z'),
    );
  for (const id of [4, 4, 1, 9]) expect(await upTo(id)).toBe(false);
  const messages = await conversation(contactId);
  expect(messages.map(({ body, readAt }) => [body, readAt])).toEqual([
    ['message 10', null],
    ['message 5', '2100-01-01T00:00:00Z'],
    ['message 3', '2100-01-01T00:00:00Z'],
    ['message 2', '2100-01-01T00:00:00Z'],
    ['Helo', null],
  ]);
  const ids = messages.map(({ id }) => String(id));
  const read = (await about(contactId, 8)).filter(({ event }) => event === 'message.read');
  const data = { contact_id: String(contactId), channel: 'telegram', account_id: String(accountId) };
  expect(read.map((event) => event.data)).toEqual([
    { ...data, message_ids: [ids[3], ids[2]], read_at: '2100-01-01T00:00:00Z' },
    { ...data, message_ids: [ids[1]], read_at: '2100-01-01T00:00:00Z' },
  ]);
});

test('more than one unit of work has room for are read in several', async () => {
  const { contactId } = await receive(150, 1);
  for (let id = 2; id < 122; id += 1)
    await run((tx) =>
      storeMessage(tx, {
        contactId,
        channel: 'telegram',
        direction: 'outbound',
        status: 'sent',
        body: `message ${id}`,
        accountId,
        atPlatform: { userId: '150', messageId: String(id) },
      }),
    );
  const upTo = () => run((tx) => markOutboundRead(tx, { accountId, userId: '150', messageId: '121' }));
  expect(await upTo()).toBe(true);
  while (await upTo());
  const read = (await conversation(contactId)).filter(({ readAt }) => readAt !== null);
  expect(read).toHaveLength(120);
});

test('a message sent by a job is found by its id at the platform', async () => {
  const { contactId } = await receive(160, 1);
  const place = { accountId, userId: '160', messageId: '2' };
  const message = await run((tx) =>
    storeMessage(tx, {
      contactId,
      channel: 'telegram',
      direction: 'outbound',
      status: 'queued',
      body: 'Hi',
      accountId,
    }),
  );
  await run((tx) => settleMessage(tx, { contactId, messageId: message.id, atPlatform: place }, 'sent'));
  expect(await run((tx) => findMessageAt(tx, place))).toMatchObject({ id: message.id, status: 'sent' });
});

test('after a merge messages are found, edited and read as before', async () => {
  const kept = await receive(170, 1);
  const moved = await receive(171, 1);
  await receive(171, 2, { body: 'Two' });
  await write(171, [3]);
  await receive(171, 2, { body: 'Too', editedAt: '2026-11-22T10:00:00Z' });
  const merged = await workspace.live.post(`/v1/contacts/${kept.contactId}/merge`, {
    sourceContactId: moved.contactId,
  });
  expect(merged.status).toBe(200);
  expect(await conversation(kept.contactId)).toHaveLength(4);
  expect(await receive(171, 1)).toEqual({ contactId: kept.contactId, messageId: moved.messageId });
  await receive(171, 1, { body: 'One', editedAt: '2026-11-22T10:00:00Z' });
  await run((tx) => markOutboundRead(tx, { accountId, userId: '171', messageId: '3' }, '2026-11-22T11:00:00Z'));
  const messages = await conversation(kept.contactId);
  expect(messages.map(({ body, editedAt, readAt }) => [body, editedAt, readAt])).toEqual([
    ['message 3', null, '2026-11-22T11:00:00Z'],
    ['Too', '2026-11-22T10:00:00Z', null],
    ['One', '2026-11-22T10:00:00Z', null],
    ['Helo', null, null],
  ]);
  const [, , , updated, read] = await about(kept.contactId, 5);
  expect([updated?.event, read?.event]).toEqual(['message.updated', 'message.read']);
  expect(updated?.data.contact_id).toBe(String(kept.contactId));
});
