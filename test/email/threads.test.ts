import { beforeAll, describe, expect, test } from 'vitest';
import { remaining, take } from '#lib/table/quota.ts';
import { type Client, everyItem } from '#test/client.ts';
import { receiveIn } from '#test/email/raw.ts';
import { eventsAbout } from '#test/feed.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let client: Client;
let receive: ReturnType<typeof receiveIn>;
beforeAll(async () => {
  workspace = await newWorkspace();
  client = workspace.live;
  receive = receiveIn(workspace);
});

const thread = async (id: number) => (await client.get(`/v1/email/threads/${id}`)).body;
const messages = (id: number) => everyItem(client, `/v1/email/threads/${id}/messages`, { limit: 1 });

describe('an incoming mail', () => {
  test('from a stranger opens a thread without a contact', async () => {
    const { threadId, messageId } = await receive({ from: 'Stranger <nobody@example.com>', subject: 'Hello there' });
    const { status, body } = await client.get(`/v1/email/threads/${threadId}`);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        id: threadId,
        subject: 'Hello there',
        preview: 'Do you ship to Norway?',
        status: 'open',
        unreadCount: 1,
        isStarred: false,
        contactId: null,
        assignedToUserId: null,
        aiLeadScore: null,
        lastMessageAt: expect.stringMatching(/Z$/),
      },
    });
    expect((await client.get(`/v1/email/threads/${threadId}/messages`)).body).toEqual({
      items: [
        {
          id: messageId,
          threadId,
          direction: 'inbound',
          from: { name: 'Stranger', email: 'nobody@example.com' },
          to: [{ name: null, email: 'sales@acme.example' }],
          cc: [],
          subject: 'Hello there',
          bodyText: 'Do you ship to Norway?',
          newText: 'Do you ship to Norway?',
          isAutomatic: false,
          replyTo: [],
          bodyHtml: null,
          isRead: false,
          status: 'received',
          attachments: [],
          authentication: { spf: 'pass', dkim: 'pass', dmarc: 'pass', verdict: 'pass' },
          sentAt: expect.any(String),
          createdAt: expect.any(String),
        },
      ],
      nextCursor: null,
      hasMore: false,
    });
  });

  test('appears in its contact’s conversation, makes it unread and emits its events', async () => {
    const { body: contact } = await client.post('/v1/contacts', { name: 'Olga', email: 'Olga@Example.com' });
    const { threadId } = await receive({ from: 'olga@example.com', text: 'Hello from Olga' });
    expect((await thread(threadId)).contactId).toBe(contact.id);
    expect((await client.get(`/v1/contacts/${contact.id}`)).body).toMatchObject({
      hasUnreadMessages: true,
      lastMessageAt: expect.any(String),
    });
    const [message] = (await client.get(`/v1/contacts/${contact.id}/messages`)).body.items;
    expect(message).toMatchObject({
      channel: 'email',
      direction: 'inbound',
      body: 'Hello from Olga',
      threadId: String(threadId),
      status: 'received',
    });
    const [, told] = await eventsAbout(workspace.id, `contact/${contact.id}`, 2);
    expect(told).toEqual({
      event: 'message.created',
      data: {
        contact_id: String(contact.id),
        channel: 'email',
        direction: 'inbound',
        body: 'Hello from Olga',
        thread_id: String(threadId),
        message_id: String(message.id),
        account_id: null,
        job_id: null,
      },
    });
  });

  test('joins the thread of the message that it answers, whatever its subject', async () => {
    const { threadId } = await receive({ messageId: 'root@example.com', cc: 'carl@example.com' });
    await receive({ inReplyTo: 'root@example.com', messageId: 'child@example.com', subject: 'Something else' });
    await receive({ references: '<unknown@example.com> <child@example.com>', from: 'Carl <carl@example.com>' });
    expect(await messages(threadId)).toHaveLength(3);
    expect(await thread(threadId)).toMatchObject({ unreadCount: 3, subject: 'A question' });
  });

  test('joins its sender’s thread of the same subject only when it is marked as a reply', async () => {
    const { threadId } = await receive({ from: 'Dora <dora@example.com>', subject: 'Delivery' });
    const threadOf = async (mail: Parameters<typeof receive>[0]) => (await receive(mail)).threadId;
    expect(await threadOf({ from: 'DORA@example.com', subject: 'AW: Re: delivery' })).toBe(threadId);
    expect(await threadOf({ from: 'other@example.com', subject: 'Re: Delivery' })).not.toBe(threadId);
    expect(await threadOf({ from: 'dora@example.com', subject: 'Delivery' })).not.toBe(threadId);
  });

  test('is stored once when it arrives twice', async () => {
    const first = await receive({ messageId: 'twice@example.com' });
    expect(await receive({ messageId: 'twice@example.com' })).toEqual(first);
    expect(await messages(first.threadId)).toHaveLength(1);
    expect(await thread(first.threadId)).toMatchObject({ unreadCount: 1 });
  });

  test('one of ten at once in a thread is never lost or counted wrongly', async () => {
    const { threadId } = await receive({ messageId: 'busy@example.com' });
    await Promise.all(Array.from({ length: 10 }, () => receive({ inReplyTo: 'busy@example.com' })));
    expect(await messages(threadId)).toHaveLength(11);
    expect(await thread(threadId)).toMatchObject({ unreadCount: 11 });
  });

  test('reopens a pending or closed thread, but not one that is spam', async () => {
    for (const [status, after] of [
      ['pending', 'open'],
      ['closed', 'open'],
      ['spam', 'spam'],
    ]) {
      const { threadId } = await receive({ messageId: `${status}@example.com` });
      await client.post(`/v1/email/threads/${threadId}/status`, { status });
      await receive({ inReplyTo: `${status}@example.com` });
      expect((await thread(threadId)).status).toBe(after);
    }
  });
});

describe('a thread', () => {
  test('moves to any status, emits that once, and the same status changes nothing', async () => {
    const { threadId } = await receive();
    const moved = await client.post(`/v1/email/threads/${threadId}/status`, { status: 'CLOSED' });
    expect(moved).toMatchObject({ status: 200, body: { id: threadId, status: 'closed' } });
    await client.post(`/v1/email/threads/${threadId}/status`, { status: 'closed' });
    const assigned = await client.post(`/v1/email/threads/${threadId}/assignee`, { userId: workspace.memberId });
    expect(assigned.body).toEqual({ ...moved.body, assignedToUserId: workspace.memberId });
    const events = await eventsAbout(workspace.id, `email-thread/${threadId}`, 2);
    const { keyId } = (await client.get('/v1/me')).body.apiKey;
    const common = { thread_id: String(threadId), contact_id: null, actor: { type: 'api_key', id: keyId } };
    expect(events).toEqual([
      {
        event: 'email.thread_updated',
        data: { ...common, changed: ['status'], changes: { status: { from: 'open', to: 'closed' } } },
      },
      {
        event: 'email.thread_updated',
        data: {
          ...common,
          changed: ['assigned_to_user_id'],
          changes: { assigned_to_user_id: { from: null, to: String(workspace.memberId) } },
        },
      },
    ]);
  });

  test('is assigned to active members only, and a stale If-Match is refused', async () => {
    const { threadId } = await receive();
    const path = `/v1/email/threads/${threadId}/assignee`;
    expect(await client.post(path, { userId: 999_999 })).toMatchObject({
      status: 400,
      body: { details: { fields: [{ field: 'userId', code: 'unknown_reference' }] } },
    });
    expect(await client.post(path, {})).toMatchObject({
      status: 400,
      body: { details: { fields: [{ field: 'userId', code: 'required' }] } },
    });
    const { headers } = await client.get(`/v1/email/threads/${threadId}`);
    const match = { 'if-match': headers['etag'] as string };
    expect((await client.post(path, { userId: workspace.memberId }, match)).status).toBe(200);
    expect(await client.post(path, { userId: null }, match)).toMatchObject({
      status: 412,
      body: { error: 'conflict', details: { reason: 'stale_version' } },
    });
    await client.post('/v1/email/threads/999999/status', {}, 404);
    await client.post('/v1/email/threads/999999/assignee', { userId: 999_999 }, 404);
  });

  test('is heard of by whoever its sender was merged into, from the address that the merge has dropped', async () => {
    const { id: workspaceId, live } = await newWorkspace();
    const into = receiveIn({ id: workspaceId });
    const { body: source } = await live.post('/v1/contacts', { name: 'Ann', email: 'old@example.com' });
    const { body: between } = await live.post('/v1/contacts', { name: 'Ann', email: 'between@example.com' });
    const { body: target } = await live.post('/v1/contacts', { name: 'Ann', email: 'new@example.com' });
    const { threadId } = await into({ from: 'old@example.com', messageId: 'first@example.com' });
    await live.post(`/v1/contacts/${between.id}/merge`, { sourceContactId: source.id });
    await live.post(`/v1/contacts/${target.id}/merge`, { sourceContactId: between.id });
    const answer = await into({ from: 'Old@example.com', inReplyTo: 'first@example.com', subject: 'Re: A question' });
    const fresh = await into({ from: 'OLD@example.com', subject: 'Something else' });
    const other = await into({ from: 'between@example.com', subject: 'Else' });
    expect(answer.threadId).toBe(threadId);
    for (const { threadId: one } of [answer, fresh, other])
      expect((await live.get(`/v1/email/threads/${one}`)).body.contactId).toBe(target.id);
    expect((await live.get(`/v1/contacts/${target.id}/messages`)).body.items).toHaveLength(4);
    // The merged contact has had the address for longer.
    await live.post('/v1/contacts', { name: 'Bob', email: 'between@example.com' });
    const theirs = await into({ from: 'between@example.com', subject: 'Mine' });
    expect((await live.get(`/v1/email/threads/${theirs.threadId}`)).body.contactId).toBe(target.id);
  });

  test('is heard of by its contact from every address that they have, not from one that was replaced', async () => {
    const { id: workspaceId, live } = await newWorkspace();
    const into = receiveIn({ id: workspaceId });
    const { body: ann } = await live.post('/v1/contacts', { name: 'Ann', email: 'first@example.com' });
    const { threadId } = await into({ from: 'first@example.com', messageId: 'a@example.com' });
    await live.post(`/v1/contacts/${ann.id}/addresses`, { kind: 'email', value: 'Home@example.com' }, 201);
    await live.patch(`/v1/contacts/${ann.id}`, { email: 'second@example.com' });
    const writes = async (from: string) => {
      const answer = await into({ from, inReplyTo: 'a@example.com', subject: 'Re: A question' });
      const { items } = (await live.get(`/v1/contacts/${ann.id}/messages`)).body;
      return { ...answer, heard: items.length };
    };
    expect(await writes('first@example.com')).toMatchObject({ threadId, heard: 1 });
    expect(await writes('home@example.com')).toMatchObject({ threadId, heard: 2 });
    expect(await writes('second@example.com')).toMatchObject({ threadId, heard: 3 });
  });

  test('follows its contact through a merge', async () => {
    const { body: source } = await client.post('/v1/contacts', { name: 'Old', email: 'old@example.com' });
    const { body: target } = await client.post('/v1/contacts', { name: 'New' });
    const { threadId } = await receive({ from: 'old@example.com' });
    await client.post(`/v1/contacts/${target.id}/merge`, { sourceContactId: source.id });
    expect((await thread(threadId)).contactId).toBe(target.id);
    expect((await client.get(`/v1/contacts/${target.id}/messages`)).body.items).toHaveLength(1);
  });
});

test('every filter of the list is exact, and filters may be combined', async () => {
  const of = await newWorkspace();
  const into = receiveIn(of);
  const { body: contact } = await of.live.post('/v1/contacts', { name: 'Mia', email: 'mia@example.com' });
  const { threadId: mine } = await into({ from: 'Mia <mia@example.com>', subject: 'Boats', text: 'Ahoy' });
  const { threadId: other } = await into({ from: 'Zed <zed@example.com>', subject: 'Cars', text: 'Wheels' });
  await of.live.post(`/v1/email/threads/${other}/status`, { status: 'pending' });
  await of.live.post(`/v1/email/threads/${mine}/assignee`, { userId: of.memberId });
  const ids = async (query: Record<string, string | number | boolean>) =>
    (await everyItem(of.live, '/v1/email/threads', { limit: 1, ...query })).map(({ id }) => id);
  expect(await ids({})).toEqual([other, mine]);
  expect(await ids({ status: 'open' })).toEqual([mine]);
  expect(await ids({ contactId: contact.id })).toEqual([mine]);
  expect(await ids({ assignedToUserId: of.memberId })).toEqual([mine]);
  expect(await ids({ assignedToUserId: 'none' })).toEqual([other]);
  expect(await ids({ unreadOnly: true })).toEqual([other, mine]);
  expect(await ids({ unreadOnly: false, isStarred: false })).toEqual([other, mine]);
  expect(await ids({ isStarred: true })).toEqual([]);
  for (const q of ['BOAT', 'ahoy', 'mia@', 'Mia']) expect(await ids({ q })).toEqual([mine]);
  expect(await ids({ q: 'example.com', status: 'pending' })).toEqual([other]);
  await of.live.get('/v1/email/threads', { status: 'lost' }, 400);
  await of.test.get(`/v1/email/threads/${mine}`, undefined, 404);
});

test('a long mail is shortened when its sender has used up the day’s bytes', async () => {
  const { id, live } = await newWorkspace();
  const tenant = { workspaceId: id, env: 'live' } as const;
  const from = (word: string, verdict: 'pass' | 'fail', text = `${word} `.repeat(8_000)) =>
    receiveIn({ id })(
      { from: `${word}@good.example`, text },
      { authentication: { spf: verdict, dkim: verdict, dmarc: verdict, verdict } },
    );
  const textOf = async (threadId: number) =>
    (await live.get(`/v1/email/threads/${threadId}/messages`)).body.items[0].bodyText;
  const before = await remaining(tenant, 'receivedFrom/unverified');
  expect((await textOf((await from('whole', 'fail')).threadId)).length).toBe(8_000 * 6 - 1);
  expect(before - (await remaining(tenant, 'receivedFrom/unverified'))).toBe(2 * (8_000 * 6 - 1));
  await take(tenant, 'receivedFrom/unverified', 2 * 2 ** 30);
  const note = '[Left out of this mail: all else that it says, because as much was received today as a day takes.]';
  expect(await textOf((await from('brief', 'fail')).threadId)).toBe(
    `${'brief '.repeat(8_000).slice(0, 8_000).trim()}\n\n${note}`,
  );
  // A proven sender has a quota of its own, and a short mail is kept whole.
  expect((await textOf((await from('other', 'pass')).threadId)).length).toBe(8_000 * 6 - 1);
  const short = await from('short', 'fail', 'short');
  expect(await textOf(short.threadId)).toBe('short');
});
