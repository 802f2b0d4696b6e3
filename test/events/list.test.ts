import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import * as v from 'valibot';
import { beforeAll, expect, test } from 'vitest';
import { now } from '#lib/core/clock.ts';
import { operator, system } from '#lib/core/tenant.ts';
import { parseMail } from '#lib/email/mail.ts';
import { Feed } from '#lib/entities/feed-event.ts';
import { CreateSequence } from '#lib/entities/sequence.ts';
import type { EventKind } from '#lib/events/kinds.ts';
import { eventKinds, exampleOf } from '#lib/events/kinds.ts';
import { eventKindNames } from '#lib/events/names.ts';
import { markOutboundRead, storeMessage } from '#lib/messages/store.ts';
import { oldestSequence, readFeed } from '#lib/publishing/feed/feed.ts';
import { enroll } from '#lib/sequences/enroll.ts';
import { createSequence } from '#lib/sequences/store.ts';
import { unsubscribe } from '#lib/sequences/unsubscribe.ts';
import { keyOf } from '#lib/table/entity.ts';
import { putRows, type Row, readRow } from '#lib/table/rows.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { receiveMail } from '#lib/transport/receiving/mail.ts';
import { receiveMessage } from '#lib/transport/receiving/message.ts';
import { receiveUpdate } from '#lib/transport/receiving/telegram-update.ts';
import { between } from '#test/between.ts';
import { type Client, eventually } from '#test/client.ts';
import { trusted } from '#test/email/raw.ts';
import type { CauseEvents, Causing } from '#test/events/causing.ts';
import { because } from '#test/refusals.ts';
import { hears, newAccount } from '#test/telegram/line.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

interface Event {
  event: EventKind;
  id: string;
  sequence: number;
  data: Record<string, unknown>;
  erased?: true;
}

let workspace: TestWorkspace;
let api: Client;

beforeAll(async () => {
  workspace = await newWorkspace();
  api = workspace.live;
});

/** As a poller reads the feed: from a sequence on, page by page. */
async function poll(client: Client, since: number, limit = 100, eventKind?: string): Promise<Event[]> {
  const events: Event[] = [];
  for (let from = since; ; ) {
    const { status, body } = await client.get('/v1/events', { since: from, limit, ...(eventKind && { eventKind }) });
    expect(status).toBe(200);
    events.push(...body.items);
    if (body.items.length > 0) expect(body.nextCursor).toBe(body.items.at(-1).sequence);
    if (!body.hasMore) return events;
    from = body.nextCursor;
  }
}

const polled = (client: Client, since: number, count: number) =>
  eventually(async () => {
    const events = await poll(client, since);
    return events.length >= count && events;
  }, `${count} events`);

test('the feed is ascending, resumes where a poller stopped, and is empty at its end', async () => {
  const { live } = await newWorkspace();
  for (const name of ['a', 'b', 'c', 'd', 'e']) await live.post('/v1/contacts', { name });
  const all = await polled(live, 0, 6);
  expect(all.map(({ event, sequence, data }) => [event, sequence, data['name']])).toEqual([
    ['key.created', 1, 'test'],
    ...['a', 'b', 'c', 'd', 'e'].map((name, index) => ['contact.created', index + 2, name]),
  ]);
  expect(await poll(live, 0, 2)).toEqual(all);
  expect(await poll(live, 3)).toEqual(all.slice(3));
  expect(await poll(live, 0, 100, 'key.created')).toEqual(all.slice(0, 1));
  expect((await live.get('/v1/events')).body).toEqual({ items: all, nextCursor: 6, hasMore: false });
  expect((await live.get('/v1/events', { since: 6 })).body).toEqual({ items: [], nextCursor: null, hasMore: false });
  for (const since of ['latest', ' Latest '])
    expect((await live.get('/v1/events', { since })).body).toEqual({ items: [], nextCursor: 6, hasMore: false });
  expect(await poll(live, 0, 100, 'key.created,contact.merged')).toEqual(all.slice(0, 1));
  expect((await live.get('/v1/events', { eventKind: 'contact.created, key.created' })).body.items).toEqual(all);
  const future = await live.get('/v1/events', { since: 7 });
  expect([future.status, future.body.details.fields[0]]).toMatchObject([
    400,
    { field: 'query.since', code: 'out_of_range' },
  ]);
  expect((await live.get('/v1/events', { limit: 5 })).body).toEqual({
    items: all.slice(0, 5),
    nextCursor: 5,
    hasMore: true,
  });
  expect((await live.get('/v1/events', { limit: 5000 })).body.items).toEqual(all);
});

test.each([{ since: -1 }, { since: 'x' }, { eventKind: 'contact.exploded' }, { limit: 'many' }])(
  'the feed refuses %j',
  async (query) => {
    expect((await api.get('/v1/events', query as Record<string, string>)).status).toBe(400);
  },
);

test('a poller meets every event once and in order while many changes happen at once', async () => {
  const { live } = await newWorkspace();
  const count = 120;
  let isOver = false;
  const changes = Promise.all(
    Array.from({ length: 12 }, async (_, writer) => {
      for (let index = 0; index < count / 12; index += 1) {
        const { status } = await live.post('/v1/contacts', { name: `${writer}/${index}` });
        expect(status).toBe(201);
      }
    }),
  ).finally(() => {
    isOver = true;
  });
  const met: Event[] = [];
  const deadline = now() + 60_000;
  while ((!isOver || met.length < count + 1) && now() < deadline)
    met.push(...(await poll(live, met.at(-1)?.sequence ?? 0, 7)));
  await changes;
  expect(met.map(({ sequence }) => sequence)).toEqual(met.map((_, index) => index + 1));
  const created = met.filter(({ event }) => event === 'contact.created');
  expect(new Set(created.map(({ data }) => data['name'])).size).toBe(count);
  expect(created).toHaveLength(count);
});

test('the feed has every answered change, with data in the order of the catalog', async () => {
  const { live } = await newWorkspace();
  const first = (await live.get('/v1/events')).body.items.at(-1).sequence;
  for (let index = 0; index < 20; index += 1) {
    const noise = Array.from({ length: 3 }, () => live.post('/v1/tasks', { title: 'noise' }));
    const { body: contact } = await live.post('/v1/contacts', { name: `Contact ${index}` });
    const { items } = (await live.get('/v1/events', { since: first, eventKind: 'contact.created', limit: 100 })).body;
    expect(items.at(-1)?.data.contact_id).toBe(String(contact.id));
    expect(Object.keys(items.at(-1).data)).toEqual(Object.keys(exampleOf('contact.created').data));
    await Promise.all(noise);
  }
});

test('a sequence that is older than what is kept is answered with the oldest', async () => {
  const { id, live } = await newWorkspace();
  const tenant = { workspaceId: id, env: 'live' } as const;
  for (const name of ['a', 'b', 'c']) await live.post('/v1/contacts', { name });
  const all = await polled(live, 0, 4);
  await transact(tenant, system, async (tx) => {
    for (const event of await tx.findAll(Feed, [{ sequence: 1 }, { sequence: 2 }])) tx.delete(Feed, event);
  });
  for (const since of [0, 1]) {
    const { status, body } = await live.get('/v1/events', { since });
    expect({ status, details: body.details }).toEqual({
      status: 409,
      details: { ...because('cursor_expired'), oldestSequence: 3 },
    });
  }
  const ended = async (query: Record<string, number>) => (await live.get('/v1/events', query)).body.items;
  expect(await ended({ since: 2 })).toEqual(all.slice(2));
  expect(
    await eventually(async () => {
      const items = await ended({});
      return items.length > 0 && items;
    }, 'the oldest'),
  ).toEqual(all.slice(2));
});

test('events that have expired and are not yet removed cost a poller no call each', async () => {
  const { id, live } = await newWorkspace();
  const tenant = { workspaceId: id, env: 'live' } as const;
  const [first] = await polled(live, 0, 1);
  const at = (sequence: number) => keyOf(tenant, Feed, { sequence });
  const row = (await readRow(at(1))) as Row;
  const count = 400;
  // Three numbers were lost, one of them by an event that is kept.
  const sequences = Array.from({ length: count + 5 }, (_, index) => index + 1).filter(
    (sequence) => ![20, 390, count + 2].includes(sequence),
  );
  await putRows(
    sequences.map((sequence) => ({
      ...row,
      ...at(sequence),
      sequence,
      timestamp: '2026-11-22T10:00:00Z',
      body: JSON.stringify({ ...first, sequence }),
      ...(sequence <= count && { expiresAtSeconds: 1_700_000_000 }),
    })),
  );
  const tx = () => UnitOfWork.forAnswer(tenant, operator);
  const calls: string[] = [];
  const counted = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    calls.length = 0;
    return between(({ operation }, next) => {
      calls.push(operation);
      return next();
    }, work);
  };
  expect(await counted(() => oldestSequence(tx()))).toBe(count + 1);
  expect(calls.length).toBeLessThan(60);
  for (const since of [0, 1, 20, 389, count - 1]) {
    expect(await counted(() => readFeed(tx(), since, 100))).toMatchObject({ items: [], isExpired: true });
    expect(calls.length).toBeLessThan(10);
    const { status, body } = await live.get('/v1/events', { since });
    expect({ status, details: body.details }).toEqual({
      status: 409,
      details: { ...because('cursor_expired'), oldestSequence: count + 1 },
    });
  }
  const kept = [count + 1, count + 3, count + 4, count + 5];
  const shown = async (query: Record<string, number>) =>
    (await live.get('/v1/events', query)).body.items.map(({ sequence }: Event) => sequence);
  expect(await shown({})).toEqual(kept);
  expect(await shown({ since: count })).toEqual(kept);
  expect(await shown({ since: count + 1 })).toEqual(kept.slice(1));
  expect((await live.get('/v1/events', { since: count + 5 })).status).toBe(400);
});

const shapeOf = (value: unknown): unknown =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? Object.keys(value).sort() : undefined;

/**
 * Causes an event of every kind of the feed, as callers, operators, providers and the passing of time do. What causes those of a
 * noun by itself stands beside its tests, in `causes.ts`.
 */
async function causeEveryKind({ id, live, memberId }: TestWorkspace): Promise<void> {
  const tenant = { workspaceId: id, env: 'live' as const };
  const post: Causing['post'] = async (path, body = {}) => {
    const answer = await live.post(path, body);
    expect(answer.status, path).toBeLessThan(300);
    return answer.body;
  };
  const asOperator: Causing['asOperator'] = (work) => transact(tenant, operator, work);

  const contact = await post('/v1/contacts', { name: 'Ada', email: 'ada@example.com' });
  const other = await post('/v1/contacts', { name: 'Ada' });
  await post(`/v1/contacts/${contact.id}/assignee`, { userId: memberId });
  await post(`/v1/contacts/${contact.id}/activities`, { text: 'a note' });
  await post(`/v1/contacts/${contact.id}/merge`, { sourceContactId: other.id });
  const forgotten = await post('/v1/contacts', { name: 'Eve' });
  await post(`/v1/contacts/${forgotten.id}/erasure`, { confirm: String(forgotten.id) });
  for (const file of globSync('test/*/causes.ts')) {
    const { causeEvents } = (await import(resolve(file))) as { causeEvents: CauseEvents };
    await causeEvents({ live, post, asOperator, contactId: contact.id });
  }

  const account = await newAccount(tenant);
  const { contactId } = await hears(tenant, account.id, { telegramUserId: 77, name: 'Bob' });
  const told = { channel: 'telegram', accountId: account.id, from: { telegramUserId: 77 }, threadId: null } as const;
  await asOperator((tx) => receiveMessage(tx, { ...told, body: 'Helo', platformMessageId: '1' }));
  await asOperator((tx) => receiveMessage(tx, { ...told, body: 'Hello', platformMessageId: '1', editedAt: tx.now }));
  const chat = { id: 77, type: 'private' };
  const pressed = { id: '1', from: { id: 77 }, message: { message_id: 2, chat }, data: 'yes' };
  await receiveUpdate(tenant, account.id, { update_id: 1, callback_query: pressed });
  const atPlatform = { userId: '77', messageId: '2' };
  const written = { contactId, channel: 'telegram', direction: 'outbound', status: 'sent', body: 'Hi' } as const;
  await asOperator((tx) => storeMessage(tx, { ...written, accountId: account.id, atPlatform }));
  await asOperator((tx) => markOutboundRead(tx, { accountId: account.id, ...atPlatform }));
  const message = { accountId: account.id, telegramUserId: 77, text: 'Hi' };
  await account.react(
    { status: 429, body: { ok: false, description: 'Too Many Requests', parameters: { retry_after: 1 } } },
    {},
    { status: 401, body: { ok: false, description: 'Unauthorized' } },
  );
  await post('/v1/telegram/messages', message);
  await post('/v1/telegram/messages', message);

  const raw = 'From: Ada <ada@example.com>\r\nTo: us@example.com\r\nSubject: Hi\r\nMessage-ID: <1@x>\r\n\r\nHello';
  const mail = await parseMail(raw);
  const { threadId } = await asOperator((tx) => receiveMail(tx, mail, trusted));
  await post(`/v1/email/threads/${threadId}/status`, { status: 'closed' });

  for (const mailbox of ['bounce', 'complaint']) {
    const to = [`${mailbox}@simulator.amazonses.com`];
    await post('/v1/email/messages', { to, subject: 'Hi', bodyText: 'Hello' });
  }

  const steps = [{ delayMinutes: 60, subject: 'Hi', text: 'Welcome' }];
  const sequenceInput = { name: 'Welcome', channel: 'email', accountId: null, steps, status: 'active' };
  const sequence = await asOperator((tx) => createSequence(tx, v.parse(CreateSequence, sequenceInput)));
  await asOperator((tx) => enroll(tx, sequence.id, contact.id));
  const uma = await post('/v1/contacts', { name: 'Uma', email: 'uma@example.com' });
  const mailing = await asOperator((tx) =>
    createSequence(tx, v.parse(CreateSequence, { ...sequenceInput, steps: [{ ...steps[0], delayMinutes: 0 }] })),
  );
  const { id: enrollmentId, secret } = await asOperator((tx) => enroll(tx, mailing.id, uma.id));
  const jobs = () => live.get('/v1/jobs', { sequenceId: mailing.id });
  const [job] = await eventually(async () => {
    const { items } = (await jobs()).body;
    return items.length > 0 && items;
  }, `the mail of enrollment ${enrollmentId}`);
  await unsubscribe(`${id}-live-${job.id}-${secret}`);
  const answer = await parseMail(raw.replace('<1@x>', '<2@x>'));
  await asOperator((tx) => receiveMail(tx, answer, trusted));
}

test('every emitted event matches its schema and has the fields of its example', async () => {
  const workspace = await newWorkspace();
  const { body: hook } = await workspace.live.post('/v1/webhooks', {
    url: 'http://127.0.0.1:9/',
    eventKinds: ['key.revoked'],
  });
  await causeEveryKind(workspace);
  const { body: tested } = await workspace.live.post(`/v1/webhooks/${hook.id}/test`);
  const detail = await workspace.live.get(`/v1/webhooks/${hook.id}/deliveries/${tested.delivery.id}`);
  const kinds = eventKindNames.filter((kind) => kind !== 'webhook.test');
  const missing = (met: Event[]) => kinds.filter((kind) => !met.some(({ event }) => event === kind));
  let events: Event[] = [];
  await eventually(
    async () => {
      events = await poll(workspace.live, 0);
      return missing(events).length === 0;
    },
    'all kinds',
    60_000,
  ).catch(() => expect(missing(events)).toEqual([]));
  for (const { event, data } of events.filter(({ erased }) => !erased))
    expect({ event, data: v.parse(eventKinds[event].data, data) }).toEqual({ event, data });
  for (const kind of eventKindNames) {
    const { data, ...envelope } =
      kind === 'webhook.test'
        ? JSON.parse(detail.body.requestBody)
        : (events.find(({ event }) => event === kind) as Event);
    const { data: example, ...described }: Record<string, unknown> & { data: Record<string, unknown> } =
      exampleOf(kind);
    expect({ kind, fields: shapeOf(envelope) }).toEqual({ kind, fields: shapeOf(described) });
    expect({ kind, fields: shapeOf(data) }).toEqual({ kind, fields: shapeOf(example) });
    expect({ kind, actor: shapeOf(data['actor']) }).toEqual({ kind, actor: shapeOf(example['actor']) });
    for (const [field, value] of Object.entries(example)) {
      if (value !== null && data[field] !== null)
        expect({ kind, field, type: typeof data[field] }).toEqual({ kind, field, type: typeof value });
    }
  }
});
