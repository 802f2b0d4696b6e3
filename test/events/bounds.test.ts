import { expect, test } from 'vitest';
import { system } from '#lib/core/tenant.ts';
import { bounded } from '#lib/events/bounds.ts';
import { readFeed } from '#lib/publishing/feed/feed.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { eventually } from '#test/client.ts';
import { mcp } from '#test/mcp/client.ts';
import { startReceiver } from '#test/webhooks/receiver.ts';
import { newWorkspace } from '#test/workspace.ts';

const bytes = (value: unknown) => Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value));

test.each([
  ['ASCII', 'a'.repeat(16_385), 'a'.repeat(16_384)],
  ['two bytes', `a${'é'.repeat(10_000)}`, `a${'é'.repeat(8_191)}`],
  ['three bytes', '漢'.repeat(10_000), '漢'.repeat(5_461)],
  ['four bytes', `abc${'😀'.repeat(10_000)}`, `abc${'😀'.repeat(4_095)}`],
])('a text of %s is cut at 16 KiB and never inside a character', (_, body, kept) => {
  expect(bounded({ data: { contact_id: '1', body, thread_id: null } })).toEqual({
    data: { contact_id: '1', body: kept, thread_id: null },
    truncated: ['data.body'],
  });
});

test('an event that fits is left as it is', () => {
  const draft = { data: { body: '漢'.repeat(5_461), changes: { name: { from: null, to: 'x' } }, scopes: ['a', 'b'] } };
  expect(bounded(draft)).toEqual(draft);
  expect(bounded(draft).data).toBe(draft.data);
});

test('a text cut within lists and maps is named by its path, once', () => {
  const long = 'x'.repeat(20_000);
  const once = bounded({ data: { changes: { notes: { from: long, to: '' } }, list: ['a', long] } });
  expect(once.truncated).toEqual(['data.changes.notes.from', 'data.list.1']);
  expect(bounded(once)).toEqual(once);
});

test.each([
  ['fields of 16 KiB', Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`f${n}`, '\u0001'.repeat(16_384)]))],
  ['a list of a million', { contact_id: '1', ids: Array.from({ length: 1_000_000 }, (_, n) => `${n}`) }],
  ['lists of lists of texts', { lists: Array.from({ length: 900 }, () => Array.from({ length: 900 }, () => 'text')) }],
  ['a map of 100,000 keys', Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`key-${n}`, n]))],
])('%s become an event that fits its rows', (_, data) => {
  const event = bounded({ data });
  expect(bytes(event)).toBeLessThan(310_000);
  expect(event.truncated?.length).toBeGreaterThan(0);
});

test('data whose very names are too long are left out', () => {
  const data = { ['n'.repeat(300_001)]: 'text' };
  expect(bounded({ data })).toEqual({ data: {}, truncated: ['data'] });
});

test('the largest metadata of a caller is in its event whole, before and after', () => {
  const metadata = (character: string) =>
    Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`${n}`.padEnd(40, 'k'), character.repeat(500)]));
  const draft = {
    data: { changed: ['metadata'], changes: { metadata: { from: metadata('😀'), to: metadata('😎') } } },
  };
  expect(bounded(draft)).toEqual(draft);
});

test('a long text is cut alike in the feed, deliveries, replays and MCP, and is whole by id', async () => {
  const { live, liveKey } = await newWorkspace();
  await using receiver = await startReceiver();
  const endpoint = await live.post('/v1/webhooks', { url: receiver.url, eventKinds: ['contact.note_added'] });
  const contact = await live.post('/v1/contacts', { name: 'Ann' });
  const text = `a${'😀'.repeat(9_999)}`;
  await live.post(`/v1/contacts/${contact.body.id}/activities`, { text }, 201);
  const short = await live.post(`/v1/contacts/${contact.body.id}/activities`, { text: 'short' });
  const [delivered, next] = await eventually(
    async () => receiver.received.length === 2 && receiver.received.map(({ body }) => body),
    'both notes',
  );
  expect(delivered.truncated).toEqual(['data.text']);
  expect(delivered.data.text).toBe(`a${'😀'.repeat(4_095)}`);
  expect(next).not.toHaveProperty('truncated');
  expect(next.data.activity_id).toBe(String(short.body.id));

  const kind = { eventKind: 'contact.note_added' };
  expect((await live.get('/v1/events', kind)).body.items).toEqual([delivered, next]);
  const told = await mcp(liveKey).value('webhooks_get', { view: 'events', limit: 1, filters: kind });
  expect(JSON.stringify(told)).toContain('data.text');

  const [failed] = (await live.get(`/v1/webhooks/${endpoint.body.id}/deliveries`)).body.items.slice(-1);
  const deliveries = `/v1/webhooks/${endpoint.body.id}/deliveries`;
  expect(JSON.parse((await live.get(`${deliveries}/${failed.id}`)).body.requestBody)).toEqual(delivered);
  await live.post(`${deliveries}/${failed.id}/replay`, undefined, 202);
  await eventually(async () => receiver.received.length === 3, 'the replay');
  expect(receiver.received[2]?.body).toEqual(delivered);

  const timeline = (await live.get(`/v1/contacts/${contact.body.id}/activities`)).body.items;
  expect(timeline.map((entry: { text: string }) => entry.text)).toContain(text);
});

test('the largest events are in the feed when DynamoDB cannot take them together', async () => {
  const tenant = { workspaceId: (await newWorkspace()).id, env: 'test' } as const;
  const lists = Array.from({ length: 20 }, () => '漢'.repeat(4_900));
  await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      transact(tenant, system, async (tx) =>
        tx.emit({
          kind: 'contact.updated',
          subject: 'contact/1',
          data: { contact_id: '1', changed: lists, changes: { n: { from: null, to: n } }, actor: tx.eventActor },
        }),
      ),
    ),
  );
  const bodies = await eventually(async () => {
    // Together they are also more than one page.
    const first = await readFeed(new UnitOfWork(tenant, system), 0, 100);
    const second = await readFeed(new UnitOfWork(tenant, system), first.through, 100);
    const items = [...first.items, ...second.items];
    const updates = items.filter(({ event }) => event === 'contact.updated').map(({ body }) => JSON.parse(body));
    return updates.length === 20 && updates;
  }, 'twenty events');
  expect(new Set(bodies.map(({ data }) => data.changes.n.to)).size).toBe(20);
  expect(bodies.every(({ data, truncated }) => truncated === undefined && data.changed.length === 20)).toBe(true);
});
