import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Conversations } from '#lib/analytics/replies.ts';
import type { SeenMessage } from '#lib/analytics/traffic.ts';
import { dayMs, fromNow } from '#lib/core/clock.ts';
import { operator } from '#lib/core/tenant.ts';
import { createAccount } from '#lib/messages/accounts/store.ts';
import { transact } from '#lib/table/transact.ts';
import { receiveMessage } from '#lib/transport/receiving/message.ts';
import { eventually } from '#test/client.ts';
import { receiveIn } from '#test/email/raw.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

const zeros = { sent: 0, failed: 0, received: 0, replyRate: null };
const daysAgo = (days: number) => fromNow(-days * dayMs);

function sandboxOf({ id }: TestWorkspace) {
  const tenant = { workspaceId: id, env: 'test' } as const;
  return {
    account: (name: string) =>
      transact(tenant, operator, (tx) =>
        createAccount(tx, { channel: 'telegram', kind: 'bot', name, username: null, dailyLimit: 1000, secret: '1:a' }),
      ),
    receive: (accountId: number, username: string, sentAt = daysAgo(0)) =>
      transact(tenant, operator, (tx) =>
        receiveMessage(tx, { channel: 'telegram', accountId, from: { username }, body: 'Hi', threadId: null, sentAt }),
      ),
  };
}

describe('the dashboard', () => {
  test('shows only zeros for an empty workspace', async () => {
    const { live } = await newWorkspace();
    expect((await live.get('/v1/analytics/dashboard')).body).toEqual({
      from: expect.stringMatching(/Z$/),
      to: expect.stringMatching(/Z$/),
      contacts: { total: 0, new: 0, withUnread: 0 },
      messages: { sent: 0, received: 0, failed: 0, replyRate: null },
      deals: { open: 0, won: 0, lost: 0, winRate: null, openValue: [], weightedValue: [], wonValue: [] },
      tasks: { open: 0, overdue: 0, completed: 0 },
      email: { openThreads: 0, unread: 0 },
      medianFirstReplySeconds: null,
    });
  });

  test('counts what is there and what happened in the range', async () => {
    const workspace = await newWorkspace();
    const { test: client } = workspace;
    const { account, receive } = sandboxOf(workspace);
    const { id: accountId } = await account('Bot');
    const { body: deal } = await client.post('/v1/deals', { title: 'A', value: 1000.5, probability: 25 });
    await client.post('/v1/deals', { title: 'B', value: 200, currency: 'USD' });
    await client.post(`/v1/deals/${deal.id}/stage`, { stage: 'lost' });
    await client.patch((await client.post('/v1/deals', { title: 'C', value: 30 })).headers['location'] as string, {
      probability: 50,
    });
    await client.post('/v1/tasks', { title: 'late', dueAt: daysAgo(1) });
    const { body: task } = await client.post('/v1/tasks', { title: 'done' });
    await client.post(`/v1/tasks/${task.id}/status`, { status: 'done' });
    await receiveIn(workspace, 'test')({ from: 'stranger@example.com' });
    await receive(accountId, 'ann', daysAgo(0.01));
    await client.post('/v1/contacts', { name: 'Bob' });
    for (const username of ['ann', 'test_fail'])
      await client.post('/v1/telegram/messages', { accountId, username, text: 'Hello' });
    const body = await eventually(async () => {
      const { body } = await client.get('/v1/analytics/dashboard');
      return body.messages.sent === 1 && body.messages.failed === 1 && body;
    }, 'the messages to be sent');
    expect(body).toMatchObject({
      contacts: { total: 2, new: 2, withUnread: 1 },
      messages: { sent: 1, received: 2, failed: 1, replyRate: 0 },
      deals: {
        open: 2,
        won: 0,
        lost: 1,
        winRate: 0,
        openValue: [
          { currency: 'EUR', total: 30 },
          { currency: 'USD', total: 200 },
        ],
        weightedValue: [
          { currency: 'EUR', total: 15 },
          { currency: 'USD', total: 20 },
        ],
        wonValue: [],
      },
      tasks: { open: 1, overdue: 1, completed: 1 },
      email: { openThreads: 1, unread: 1 },
    });
    expect(body.medianFirstReplySeconds).toBeGreaterThanOrEqual(864);
    const { body: past } = await client.get('/v1/analytics/dashboard', { from: daysAgo(9), to: daysAgo(2) });
    expect(past).toMatchObject({
      contacts: { total: 2, new: 0 },
      messages: { sent: 0, received: 0, failed: 0, replyRate: null },
      deals: { open: 2, lost: 0, winRate: null },
      tasks: { open: 1, overdue: 1, completed: 0 },
      medianFirstReplySeconds: null,
    });
  });

  test.each([
    [{ from: '2026-01-01T00:00:00Z', to: '2025-01-01T00:00:00Z' }],
    [{ from: '2024-01-01T00:00:00Z', to: '2025-06-01T00:00:00Z' }],
  ])('refuses the range %j', async (range) => {
    const { live } = await newWorkspace();
    for (const path of ['/v1/analytics/dashboard', '/v1/analytics/messaging'])
      expect(await live.get(path, range)).toMatchObject({
        status: 400,
        body: { details: { fields: [{ field: 'query.from', code: 'out_of_range' }] } },
      });
  });
});

describe('messaging figures', () => {
  test('have every period of the range, empty ones included', async () => {
    const { live } = await newWorkspace();
    const range = { from: '2026-01-30T12:00:00Z', to: '2026-02-02T12:00:00Z' };
    const keys = async (groupBy: string) =>
      (await live.get('/v1/analytics/messaging', { ...range, groupBy })).body.items.map(
        ({ key }: { key: string }) => key,
      );
    expect((await live.get('/v1/analytics/messaging', range)).body).toEqual({
      ...range,
      groupBy: 'day',
      totals: { queued: 0, ...zeros, uniqueContacts: 0 },
      items: ['2026-01-30', '2026-01-31', '2026-02-01', '2026-02-02'].map((key) => ({
        key,
        accountId: null,
        ...zeros,
      })),
    });
    expect(await keys('week')).toEqual(['2026-01-26', '2026-02-02']);
    expect(await keys('MONTH')).toEqual(['2026-01-01', '2026-02-01']);
    expect(await keys('account')).toEqual([]);
  });

  test.each([
    {
      zone: undefined,
      from: '2026-03-28',
      to: '2026-03-30',
      start: '2026-03-28T00:00:00Z',
      end: '2026-03-30T00:00:00Z',
    },
    {
      zone: 'Europe/Berlin',
      from: '2026-03-28',
      to: '2026-03-30',
      start: '2026-03-27T23:00:00Z',
      end: '2026-03-29T22:00:00Z',
    },
    {
      zone: 'Europe/Berlin',
      from: '2026-10-25',
      to: '2026-10-26',
      start: '2026-10-24T22:00:00Z',
      end: '2026-10-25T23:00:00Z',
    },
    {
      zone: 'America/New_York',
      from: '2026-11-01',
      to: '2026-11-02',
      start: '2026-11-01T04:00:00Z',
      end: '2026-11-02T05:00:00Z',
    },
    {
      zone: 'Asia/Kathmandu',
      from: '2026-01-01',
      to: '2026-01-02',
      start: '2025-12-31T18:15:00Z',
      end: '2026-01-01T18:15:00Z',
    },
    {
      zone: 'Africa/Cairo',
      from: '2026-04-24',
      to: '2026-04-25',
      start: '2026-04-23T22:00:00Z',
      end: '2026-04-24T21:00:00Z',
    },
    {
      zone: 'America/Havana',
      from: '2026-11-01',
      to: '2026-11-02',
      start: '2026-11-01T04:00:00Z',
      end: '2026-11-02T05:00:00Z',
    },
    {
      zone: 'America/Santiago',
      from: '2026-04-05',
      to: '2026-04-06',
      start: '2026-04-05T04:00:00Z',
      end: '2026-04-06T04:00:00Z',
    },
  ])('begin days as $zone does, from $from to $to', async ({ zone, from, to, start, end }) => {
    const { live } = await newWorkspace();
    const query = { from, to, ...(zone && { timeZone: zone }) };
    const { body } = await live.get('/v1/analytics/messaging', query);
    expect(body).toMatchObject({ from: start, to: end });
    expect((await live.get('/v1/analytics/dashboard', query)).body).toMatchObject({ from: start, to: end });
    expect(body.items[0].key).toBe(from);
    expect(body.items.at(-1).key).toBe(to);
  });

  test('count a message on its day in the zone', async () => {
    const workspace = await newWorkspace();
    const { account, receive } = sandboxOf(workspace);
    const { id } = await account('Bot');
    for (const at of ['2026-10-24T21:59:59Z', '2026-10-24T22:00:00Z', '2026-10-25T22:59:59Z', '2026-10-25T23:00:00Z'])
      await receive(id, 'ada', at);
    const daysIn = async (timeZone: string) => {
      const query = { from: '2026-10-24T00:00:00Z', to: '2026-10-26T12:00:00Z', timeZone };
      const { body } = await workspace.test.get('/v1/analytics/messaging', query);
      return body.items.map(({ key, received }: { key: string; received: number }) => [key, received]);
    };
    expect(await daysIn('Europe/Berlin')).toEqual([
      ['2026-10-24', 1],
      ['2026-10-25', 2],
      ['2026-10-26', 1],
    ]);
    expect(await daysIn('UTC')).toEqual([
      ['2026-10-24', 2],
      ['2026-10-25', 2],
      ['2026-10-26', 0],
    ]);
  });

  test.each(['Europe/Atlantis', '+02:00', 'local'])('are refused for the zone %s', async (timeZone) => {
    const { live } = await newWorkspace();
    for (const path of ['/v1/analytics/messaging', '/v1/analytics/dashboard'])
      expect(await live.get(path, { timeZone })).toMatchObject({
        status: 400,
        body: { details: { fields: [{ code: 'invalid_format', field: 'query.timeZone' }] } },
      });
  });

  test('are given per account and filtered by it', async () => {
    const workspace = await newWorkspace();
    const { test: client } = workspace;
    const { account, receive } = sandboxOf(workspace);
    const [first, second] = [await account('First'), await account('Second')];
    const { body: contact } = await client.post('/v1/contacts', { username: 'ann' });
    await client.post('/v1/telegram/messages', { accountId: first.id, contactId: contact.id, text: 'Hello' });
    await client.post('/v1/telegram/messages', {
      accountId: first.id,
      username: 'bob',
      text: 'Hello',
      runAt: '2026-12-31T00:00:00Z',
    });
    await eventually(async () => {
      const { body } = await client.get('/v1/analytics/messaging');
      return body.totals.sent === 1;
    }, 'the message to be sent');
    await receive(first.id, 'ann');
    await receive(second.id, 'zoe');
    const { body } = await client.get('/v1/analytics/messaging', { groupBy: 'account' });
    expect(body).toMatchObject({
      totals: { queued: 1, sent: 1, failed: 0, received: 2, uniqueContacts: 2, replyRate: 1 },
      items: [
        { key: String(first.id), accountId: first.id, sent: 1, failed: 0, received: 1, replyRate: 1 },
        { key: String(second.id), accountId: second.id, ...zeros, received: 1 },
      ],
    });
    expect((await client.get('/v1/analytics/messaging', { accountId: second.id })).body.totals).toMatchObject({
      queued: 0,
      received: 1,
      uniqueContacts: 1,
    });
    expect((await client.get('/v1/analytics/messaging', { channel: 'email' })).body.totals).toMatchObject({
      received: 0,
    });
  });
});

describe('replies', () => {
  const rows = fc.array(
    fc.record({
      contactId: fc.option(fc.integer({ min: 1, max: 4 })),
      direction: fc.constantFrom('inbound' as const, 'outbound' as const),
      second: fc.integer({ min: 10, max: 59 }),
    }),
    { maxLength: 30 },
  );
  const traffic = rows.map((made) =>
    made.map(
      ({ contactId, direction, second }, index): SeenMessage => ({
        id: index + 1,
        contactId,
        direction,
        channel: 'telegram',
        accountId: 1,
        at: `2026-01-01T00:00:${second}Z`,
      }),
    ),
  );
  const summed = (all: readonly SeenMessage[]) => {
    const conversations = new Conversations();
    for (const message of all) conversations.add(message);
    return conversations;
  };
  const isLater = (a: SeenMessage, b: SeenMessage) => a.at > b.at || (a.at === b.at && a.id > b.id);

  test('are counted once per contact, after the first message that it was sent', () => {
    fc.assert(
      fc.property(traffic, (all) => {
        const reached = [1, 2, 3, 4].filter((id) =>
          all.some((one) => one.contactId === id && one.direction === 'outbound'),
        );
        const replied = reached.filter((id) =>
          all.some(
            (sent) =>
              sent.contactId === id &&
              sent.direction === 'outbound' &&
              all.some((one) => one.contactId === id && one.direction === 'inbound' && isLater(one, sent)),
          ),
        );
        const expected = reached.length === 0 ? null : Math.round((replied.length / reached.length) * 10_000) / 10_000;
        expect(summed(all).replyRate).toBe(expected);
      }),
    );
  });

  test('have the median of the waits as their time, the mean of the middle two when they are even', () => {
    const wait = (contactId: number, seconds: number): SeenMessage[] => {
      const common = { contactId, channel: 'email', accountId: null };
      const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
      return [
        { ...common, id: contactId, direction: 'inbound', at: at(0) },
        { ...common, id: 100 + contactId, direction: 'outbound', at: at(seconds) },
      ];
    };
    expect(summed([...wait(1, 10), ...wait(2, 30), ...wait(3, 500)]).medianFirstReplySeconds).toBe(30);
    expect(summed([...wait(1, 10), ...wait(2, 31)]).medianFirstReplySeconds).toBe(21);
    expect(summed(wait(1, 10).slice(0, 1)).medianFirstReplySeconds).toBeNull();
  });
});
