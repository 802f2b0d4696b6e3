import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { minuteMs, now, shifted, timestamp } from '#lib/core/clock.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { BusBacklogs } from '#lib/entities/bus-backlog.ts';
import { Feed, type FeedEvent } from '#lib/entities/feed-event.ts';
import { putOnBus } from '#lib/publishing/bus.ts';
import { putEvents } from '#lib/publishing/bus-put.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { eventually } from '#test/client.ts';
import { redirect } from '#test/endpoints.ts';
import { advance } from '#test/harness.ts';
import { place } from '#test/place.ts';
import { newWorkspace } from '#test/workspace.ts';

/** That of the running system. */
const bus = 'events';

interface OnBus {
  source: string;
  'detail-type': string;
  time: string;
  resources: string[];
  detail: { id: string; sequence: number; data: Record<string, unknown>; truncated?: string[] };
}

/** What lies on the bus of the running system, of these events. */
async function onBus(ids: readonly string[]): Promise<OnBus[]> {
  const lines = await readFile(join(place('dataDir'), 'events', `${bus}.jsonl`), 'utf8');
  return lines
    .trimEnd()
    .split('\n')
    .map((line): OnBus => JSON.parse(line))
    .filter(({ detail }) => ids.includes(detail.id));
}

/** A workspace with some contacts, and their events. */
async function withEvents(count: number) {
  const { id: workspaceId, live } = await newWorkspace();
  const tenant: Tenant = { workspaceId, env: 'live' };
  for (let index = 0; index < count; index += 1) await live.post('/v1/contacts', { name: `Contact ${index}` });
  const items = await eventually(async () => {
    const { body } = await live.get('/v1/events', { eventKind: 'contact.created', limit: 100 });
    return body.items.length === count && (body.items as { id: string; sequence: number }[]);
  }, 'the events');
  const events = await new UnitOfWork(tenant, system).findAll(
    Feed,
    items.map(({ sequence }) => ({ sequence })),
  );
  return { tenant, live, events, ids: items.map(({ id }) => id) };
}

interface Asked {
  Entries: { EventBusName: string; Source: string; DetailType: string; Detail: string; Time: number }[];
}

/** A bus that answers as a test says. */
let server: Server;
let restore: () => void;
let answer: (asked: Asked) => { status?: number; body: unknown } | undefined;
const asked: Asked[] = [];

beforeEach(async () => {
  const listener: RequestListener = async (request, response) => {
    const question = (await json(request)) as Asked;
    asked.push(question);
    const said = answer(question);
    // Undefined: it never answers.
    if (said) response.writeHead(said.status ?? 200).end(JSON.stringify(said.body));
  };
  server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  restore = redirect('EVENTBRIDGE', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv('EVENT_BUS', bus);
  asked.length = 0;
  // A publisher leaves a bus alone for half a minute that has failed.
  await advance(minuteMs);
});
afterEach(() => {
  restore();
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
});

const taken = ({ Entries }: Asked) => ({
  body: { FailedEntryCount: 0, Entries: Entries.map((_, index) => ({ EventId: String(index) })) },
});

const tenant7: Tenant = { workspaceId: 7, env: 'live' };

const eventOf = (id: string, data: Record<string, unknown> = {}): FeedEvent => {
  const body = { event: 'contact.created', id, timestamp: timestamp(), sequence: 1, livemode: true, data };
  return { ...body, subject: 'contact/1', committedAt: new Date(now()).toISOString(), body: JSON.stringify(body) };
};

test('every event is put on the bus as webhooks deliver it', async () => {
  const { tenant, live, ids } = await withEvents(2);
  const found = await eventually(async () => {
    const on = await onBus(ids);
    return on.length === 2 && on;
  }, 'both to be on the bus');
  const { body } = await live.get('/v1/events', { eventKind: 'contact.created' });
  expect(found.map(({ detail }) => detail)).toEqual(expect.arrayContaining(body.items));
  for (const { source, 'detail-type': kind, time, resources, detail } of found) {
    expect({ source, kind }).toEqual({ source: 'crm-api', kind: 'contact.created' });
    expect(resources).toEqual([`workspace/${tenant.workspaceId}`]);
    expect(time).toBe((detail as unknown as { timestamp: string }).timestamp);
  }
});

test('calls hold at most ten events and 256 KB, and what the bus refuses of one is put again', async () => {
  const refused = new Set<string>();
  answer = ({ Entries }) => {
    const answers = Entries.map(({ Detail }, index) => {
      const { id } = JSON.parse(Detail);
      if (!['3', '7'].includes(id) || refused.has(id)) return { EventId: String(index) };
      refused.add(id);
      return { ErrorCode: 'ThrottlingException', ErrorMessage: 'slow down' };
    });
    return { body: { FailedEntryCount: refused.size, Entries: answers } };
  };
  const many = Array.from({ length: 12 }, (_, index) => eventOf(String(index)));
  const large = Array.from({ length: 3 }, (_, index) => eventOf(`large ${index}`, { texts: 'x'.repeat(100_000) }));
  await putEvents(tenant7, [...many, ...large], bus, 'again');
  const calls = asked.map(({ Entries }) => Entries.map(({ Detail }) => String(JSON.parse(Detail).id)));
  for (const { Entries } of asked) {
    expect(Entries.length).toBeLessThanOrEqual(10);
    expect(Buffer.byteLength(JSON.stringify(Entries.map(({ Detail }) => Detail)))).toBeLessThan(300 * 1024);
  }
  expect(calls.filter((ids) => ids.includes('3'))).toHaveLength(2);
  // What was taken is not put twice.
  expect(calls.flat().filter((id) => !refused.has(id))).toHaveLength(13);
  expect(
    calls
      .flat()
      .filter((id) => refused.has(id))
      .sort(),
  ).toEqual(['3', '3', '7', '7']);
});

test('an event larger than the bus allows has its data cut, and the cut fields are named', async () => {
  const texts = Array.from({ length: 19 }, () => 'ü'.repeat(8_000));
  const event = eventOf('too large', { contact_id: '7', texts });
  expect(Buffer.byteLength(event.body)).toBeGreaterThan(256 * 1024);
  answer = taken;
  await putEvents(tenant7, [event, eventOf('behind')], bus, 'once');
  const entries = asked.flatMap(({ Entries }) => Entries);
  const [cut, behind] = entries.map(({ Detail }) => JSON.parse(Detail));
  expect(behind.id).toBe('behind');
  expect(Buffer.byteLength(String(entries[0]?.Detail))).toBeLessThan(256 * 1024);
  expect(cut).toMatchObject({ id: 'too large', data: { contact_id: '7' }, truncated: expect.any(Array) });
});

test.each([
  ['refuses', () => ({ status: 500, body: { __type: 'InternalException' } })],
  ['forbids', () => ({ status: 400, body: { __type: 'AccessDeniedException' } })],
  [
    'refuses one of them',
    ({ Entries }: Asked) => ({
      body: {
        FailedEntryCount: 1,
        Entries: Entries.map((_, at) => (at === 0 ? { ErrorCode: 'MalformedDetail' } : {})),
      },
    }),
  ],
  ['does not answer', () => undefined],
])('a bus that %s holds up no webhook: its events wait for a worker, which puts them there', async (_, saying) => {
  const { tenant, events, ids } = await withEvents(3);
  await eventually(async () => (await onBus(ids)).length === 3, 'the publisher of the running system to be done');
  answer = saying;
  await putOnBus(tenant, events);
  expect(asked).toHaveLength(1);
  // The running system has another bus, which works: they are there once more.
  await eventually(async () => (await onBus(ids)).length === 6, 'the worker to put them there');
  await eventually(
    async () => (await new UnitOfWork(tenant, system).find(BusBacklogs, { id: 1 })) === undefined,
    'nothing to be left',
  );
});

test('a bus that failed is left alone for a while, and what follows is left with what was left', async () => {
  const { tenant, events, ids } = await withEvents(3);
  await eventually(async () => (await onBus(ids)).length === 3, 'the publisher of the running system to be done');
  await transact(tenant, system, async (tx) => {
    tx.create(BusBacklogs, { id: 1, doneTo: 0, upTo: 0, at: shifted(tx.now, 60 * minuteMs) });
  });
  answer = () => ({ status: 500, body: {} });
  for (const event of events) await putOnBus(tenant, [event]);
  expect(asked).toHaveLength(1);
  const backlog = await new UnitOfWork(tenant, system).get(BusBacklogs, { id: 1 });
  expect(backlog).toMatchObject({ doneTo: 0, upTo: events.at(-1)?.sequence });
});

test('without a bus nothing is put, and nothing left', async () => {
  vi.stubEnv('EVENT_BUS', '');
  const { tenant, events } = await withEvents(1);
  answer = taken;
  await putOnBus(tenant, events);
  expect(asked).toEqual([]);
  expect(await new UnitOfWork(tenant, system).find(BusBacklogs, { id: 1 })).toBeUndefined();
});
