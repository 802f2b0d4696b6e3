import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { now, timestamp } from '#lib/core/clock.ts';
import { operator, type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { sortableSequence } from '#lib/entities/feed-event.ts';
import { eventKinds } from '#lib/events/kinds.ts';
import { readFeed } from '#lib/publishing/feed/feed.ts';
import { untilPublished } from '#lib/publishing/feed/published.ts';
import { number } from '#lib/publishing/numbering.ts';
import { publish } from '#lib/publishing/publish.ts';
import { IdPool } from '#lib/table/ids.ts';
import { identity, type Key, rowKey } from '#lib/table/keys.ts';
import { outboxItems } from '#lib/table/outbox.ts';
import { newMeter } from '#lib/table/pages.ts';
import { putRows, type Row, readRow, readRows, removeRows } from '#lib/table/rows.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { between } from '#test/between.ts';
import { type Client, eventually } from '#test/client.ts';
import { dyingAfter } from '#test/crash.ts';
import { newWorkspace } from '#test/workspace.ts';

/** A row that neither the publisher, which has met it, nor the sweeper, which looks at what is old, takes up. */
async function ownRow(tenant: Tenant, name: string): Promise<Row> {
  const now = timestamp();
  const data = { ...eventKinds['contact.created'].example, contact_id: name };
  const event = { kind: 'contact.created' as const, subject: `contact/${name}`, data, timestamp: now };
  const audit = {
    keyId: 'abcdefghijkl',
    method: 'POST',
    path: `/v1/${name}`,
    status: 201,
    ip: '127.0.0.1',
    userAgent: null,
    requestId: name,
    resourceType: 'contact',
    resourceId: null,
  };
  const [item] = outboxItems(tenant, randomUUID(), now, operator, [event], audit);
  const row = { ...(item as Row), sk: (item as Row).sk.replace(/^[^#]+/, '2099-01-01T00:00:00.000Z') };
  await putRows([{ ...row, events: 'not yet' }]);
  await eventually(async () => (await stored(row))?.['tries'] === 1, 'the publisher to meet it');
  await putRows([row]);
  return row;
}

const stored = async (row: Row) => (await readRows([row])).get(identity(row));

/** The rows that have their numbers and are still to be published. */
async function leftOpen(sequence: Key): Promise<Key[]> {
  const { rows = [] } = ((await readRow(sequence))?.['open'] ?? {}) as { rows?: Key[] };
  return [...(await readRows(rows)).values()];
}

const feedOf = async (client: Client): Promise<{ sequence: number; data: { contact_id?: string } }[]> =>
  (await client.get('/v1/events', { limit: 100 })).body.items;

const eventAt = (tenant: Tenant, sequence: number) =>
  readRow({ pk: `${tenantKey(tenant)}#event`, sk: sortableSequence(sequence) });

const auditOf = async (client: Client): Promise<string[]> =>
  (await client.get('/v1/audit-events', { limit: 100 })).body.items.map(({ path }: { path: string }) => path);

async function newTenant() {
  const { id, live } = await newWorkspace();
  const tenant: Tenant = { workspaceId: id, env: 'live' };
  await eventually(async () => (await feedOf(live)).length === 1, 'the event of its key');
  return { tenant, live, sequence: rowKey('sequence', { tenant: tenantKey(tenant) }) };
}

test('a dying publisher leaves no gap, no second number and one audit entry per call', async () => {
  const { tenant, live, sequence } = await newTenant();
  const names: string[] = [];
  for (let writes = 0, isAlive = false; !isAlive; writes += 1) {
    const rows = await Promise.all(['a', 'b'].map((name) => ownRow(tenant, `${name}${writes}`)));
    names.push(...rows.map((_, index) => `${'ab'[index]}${writes}`));
    isAlive = await dyingAfter(writes, () => publish(rows), /Write|Put|Delete|Update/);
    // Another one comes between, and another process takes up what the dead one has left.
    if (!isAlive) {
      const open = (await readRow(sequence))?.['open'] as { by: string } | undefined;
      if (open)
        await putRows([{ ...(await readRow(sequence)), ...sequence, open: { ...open, by: 'the dead', atMs: 0 } }]);
      names.push(`between${writes}`);
      expect(await publish([await ownRow(tenant, `between${writes}`)])).toEqual([]);
      expect(await publish(rows)).toEqual([]);
    }
    expect(await Promise.all(rows.map(stored))).toEqual([undefined, undefined]);
    expect(await leftOpen(sequence)).toEqual([]);
  }
  expect(names.length).toBeGreaterThan(15);
  const feed = await feedOf(live);
  expect(feed.map((event) => event.sequence)).toEqual(feed.map((_, index) => index + 1));
  const found = feed.flatMap(({ data }) => data.contact_id ?? []);
  expect([...found].sort()).toEqual([...names].sort());
  for (const name of names.filter((one) => one.startsWith('a')))
    expect(found.indexOf(name.replace('a', 'b'))).toBeGreaterThan(found.indexOf(name));
  const entries = (await auditOf(live)).filter((path) => names.includes(path.slice('/v1/'.length)));
  expect([...entries].sort()).toEqual(names.map((name) => `/v1/${name}`).sort());
});

test('a publisher leaves rows that another has just opened to that one', async () => {
  const { tenant, sequence } = await newTenant();
  const [theirs, ours] = [await ownRow(tenant, 'theirs'), await ownRow(tenant, 'ours')];
  const before = (await readRow(sequence)) as Row;
  const rows = [{ pk: theirs.pk, sk: theirs.sk, first: 2, auditId: 1_000 }];
  const opened = { ...before, last: 2, round: 'another', open: { by: 'another', atMs: now(), rows } };
  await putRows([opened]);
  const contending = new Set<string>();
  expect(await publish([ours as Row], contending)).toEqual([ours]);
  expect(contending.size).toBe(0);
  expect((await stored(ours as Row))?.['tries']).toBeUndefined();
  await putRows([{ ...opened, open: { ...opened.open, atMs: now() - 60_000 } }]);
  expect(await publish([ours as Row])).toEqual([]);
  expect((await stored(theirs))?.['published']).toBe(2);
  expect(await publish([theirs])).toEqual([]);
  expect(await stored(theirs)).toBeUndefined();
});

test('a publisher does not wait for rows that another has finished or died after', async () => {
  const { tenant, live, sequence } = await newTenant();
  const theirs = await ownRow(tenant, 'theirs');
  expect(await publish([theirs])).toEqual([]);
  const before = (await readRow(sequence)) as Row;
  const rows = [{ pk: theirs.pk, sk: theirs.sk, first: 2 }];
  await putRows([{ ...before, round: 'another', open: { by: 'another', atMs: now(), rows } }]);
  expect(await publish([await ownRow(tenant, 'ours')])).toEqual([]);
  expect((await feedOf(live)).map(({ data }) => data.contact_id)).toEqual([undefined, 'theirs', 'ours']);
});

test('the rows of a slow publisher keep their place in the order', async () => {
  const { tenant, live, sequence } = await newTenant();
  const isNumbers = (input: object) => 'UpdateExpression' in input && JSON.stringify(input).includes(sequence.pk);
  const row = await ownRow(tenant, 'outrun');
  const contending = new Set<string>();
  const outrun = await between(
    async ({ input }, next) => {
      if (isNumbers(input)) await putRows([{ ...((await readRow(sequence)) as Row), round: randomUUID() }]);
      return next();
    },
    () => publish([row], contending),
  );
  expect(outrun).toEqual([row]);
  expect(contending.size).toBe(0);
  expect((await stored(row))?.['tries']).toBeUndefined();
  const theirs = await ownRow(tenant, 'theirs');
  const rows = [{ pk: theirs.pk, sk: theirs.sk, first: 2, auditId: 1_000 }];
  const before = (await readRow(sequence)) as Row;
  await putRows([{ ...before, last: 2, round: 'another', open: { by: 'the dead', atMs: 0, rows } }]);
  const settled = await between(
    async ({ operation, input }, next) => {
      if (operation === 'PutItem' && JSON.stringify(input).includes('contact/theirs')) await sleep(2_500);
      return next();
    },
    () => publish([row], contending),
  );
  expect(settled).toEqual([]);
  expect(await publish([theirs])).toEqual([]);
  expect((await feedOf(live)).map(({ data }) => data.contact_id)).toEqual([undefined, 'theirs', 'outrun']);
});

test('a publisher alone writes the row of numbers once per publication', async () => {
  const { tenant, sequence } = await newTenant();
  let writes = 0;
  for (const name of ['first', 'second', 'third']) {
    const row = await ownRow(tenant, name);
    await between(
      ({ input }, next) => {
        if (JSON.stringify(input).includes(sequence.pk) && 'UpdateExpression' in (input as object)) writes += 1;
        return next();
      },
      () => publish([row]),
    );
  }
  expect(writes).toBe(3);
});

test('a poller skips no event while a publication is half in the feed, however old its events', async () => {
  const { tenant, live } = await newTenant();
  const rows = await Promise.all(['slow', 'fast'].map((name) => ownRow(tenant, name)));
  const old = rows.map((row) => ({
    ...row,
    events: (row['events'] as object[]).map((event) => ({ ...event, timestamp: '2026-11-22T10:00:00Z' })),
  }));
  await putRows(old);
  let seen: unknown;
  await between(
    async ({ operation, input }, next) => {
      const isSlow = operation === 'PutItem' && JSON.stringify(input).includes('contact/slow');
      if (isSlow) {
        await eventually(
          async () => (await readRow({ pk: `${tenantKey(tenant)}#event`, sk: '000000000003' })) !== undefined,
          'the other',
        );
        seen = await feedOf(live);
      }
      return next();
    },
    () => publish(old),
  );
  expect(seen).toMatchObject([{ sequence: 1 }]);
  expect((await feedOf(live)).map(({ data }) => data.contact_id)).toEqual([undefined, 'slow', 'fast']);
});

test('a poller that looks for the reason of a hole while its event is written skips none', async () => {
  const { tenant, live } = await newTenant();
  const rows = await Promise.all(['slow', 'fast'].map((name) => ownRow(tenant, name)));
  const old = rows.map((row) => ({
    ...row,
    events: (row['events'] as object[]).map((event) => ({ ...event, timestamp: '2026-11-22T10:00:00Z' })),
  }));
  await putRows(old);
  let isPolling = false;
  let published: Promise<unknown> | undefined;
  const [isMet, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const seen = await between(
    async ({ operation, input }, next) => {
      const text = JSON.stringify(input);
      if (operation === 'PutItem' && text.includes('contact/slow')) {
        isMet.resolve();
        await mayGoOn.promise;
      }
      const answer = await next();
      const isOfPoller = ['GetItem', 'BatchGetItem'].includes(operation) && text.includes('#event-number');
      if (isOfPoller && isPolling) {
        isPolling = false;
        mayGoOn.resolve();
        await published;
      }
      return answer;
    },
    async () => {
      published = publish(old);
      await isMet.promise;
      await eventually(async () => (await eventAt(tenant, 3)) !== undefined, 'the other');
      isPolling = true;
      return readFeed(new UnitOfWork(tenant, operator), 1, 100);
    },
  );
  expect(seen.items).toEqual([]);
  expect(isPolling).toBe(false);
  expect((await feedOf(live)).map(({ data }) => data.contact_id)).toEqual([undefined, 'slow', 'fast']);
});

test('a feed that begins with an event which is still being written begins with that', async () => {
  const { tenant, live } = await newTenant();
  // All that was before has expired, and is removed.
  await removeRows([{ pk: `${tenantKey(tenant)}#event`, sk: '000000000001' }]);
  const rows = await Promise.all(['slow', 'fast'].map((name) => ownRow(tenant, name)));
  const seen: unknown[] = [];
  await between(
    async ({ operation, input }, next) => {
      if (operation === 'PutItem' && JSON.stringify(input).includes('contact/slow')) {
        await eventually(async () => (await eventAt(tenant, 3)) !== undefined, 'the other');
        for (const query of [{}, { since: 0 }, { since: 1 }]) {
          const { status, body } = await live.get('/v1/events', query);
          seen.push({ status, ...body });
        }
      }
      return next();
    },
    () => publish(rows),
  );
  expect(seen).toEqual(Array(3).fill({ status: 200, items: [], nextCursor: null, hasMore: false }));
  expect((await live.get('/v1/events', { since: 0 })).body.details).toMatchObject({ oldestSequence: 2 });
  expect((await feedOf(live)).map(({ data }) => data.contact_id)).toEqual(['slow', 'fast']);
});

test('an event whose number is another one’s gets the next one', async () => {
  const { tenant, live, sequence } = await newTenant();
  const { open: _, ...before } = (await readRow(sequence)) as Row;
  await putRows([{ ...before, pk: sequence.pk, sk: sequence.sk, last: 1 }]);
  const taken = { pk: `${tenantKey(tenant)}#event`, sk: '000000000002' };
  await putRows([
    { ...((await readRow({ ...taken, sk: '000000000001' })) as Row), ...taken, sequence: 2, id: 'evt_taken' },
  ]);
  expect(await publish([await ownRow(tenant, 'next')])).toEqual([]);
  expect((await feedOf(live)).map(({ data }) => data.contact_id)).toEqual([undefined, undefined, 'next']);
  await removeRows([taken]);
});

test('a workspace whose first record is an audit entry without an event publishes what comes after it', async () => {
  const { tenant, live, sequence } = await newTenant();
  const { events: _, ...entry } = await ownRow(tenant, 'entry');
  const lone = { ...entry, events: [] } as unknown as Row;
  await removeRows([sequence, { pk: `${tenantKey(tenant)}#event`, sk: '000000000001' }]);
  await putRows([lone]);
  // Two publishers meet it: it becomes one entry.
  await Promise.all([publish([lone]), publish([lone])]);
  await publish([lone]);
  expect((await auditOf(live)).filter((path) => path === '/v1/entry')).toEqual(['/v1/entry']);
  expect((await readRow(sequence))?.['last']).toBeUndefined();
  for (const last of [undefined, 0]) {
    const name = `after ${last}`;
    if (last === 0) await putRows([{ ...sequence, last: 0 }]);
    const row = await ownRow(tenant, name);
    if (last === 0) await removeRows([{ pk: `${tenantKey(tenant)}#event`, sk: '000000000001' }]);
    expect(await publish([row])).toEqual([]);
    expect(await stored(row)).toBeUndefined();
    expect((await feedOf(live)).map(({ data }) => data.contact_id)).toEqual([name]);
  }
});

test('a gap left by a dead publisher does not hide later events', async () => {
  const { tenant, live, sequence } = await newTenant();
  const rows = [{ pk: 'OUTBOX#00', sk: '2026-01-01T00:00:00.000Z#gone', first: 2 }];
  await putRows([{ ...sequence, last: 2, round: 'dead', open: { by: 'the dead', atMs: now(), rows } }]);
  const first = (await readRow({ pk: `${tenantKey(tenant)}#event`, sk: '000000000001' })) as Row;
  const body = JSON.stringify({ ...JSON.parse(String(first['body'])), sequence: 3 });
  const old = { ...first, sk: '000000000003', sequence: 3, timestamp: '2026-11-22T10:00:00Z', body };
  await putRows([old]);
  expect((await feedOf(live)).map(({ sequence: number }) => number)).toEqual([1, 3]);
});

test('an event that is given again is given as the feed has it: it may have been erased', async () => {
  const { tenant } = await newTenant();
  const row = await ownRow(tenant, 'erased');
  const feed = { pk: `${tenantKey(tenant)}#event`, sk: '000000000002' };
  await putRows([{ ...row, published: 2 }]);
  const first = (await readRow({ ...feed, sk: '000000000001' })) as Row;
  await putRows([{ ...first, ...feed, sequence: 2, body: '{"erased":true}' }]);
  const numbered = await number(tenant, [row as never], new IdPool(tenant));
  expect(numbered.events.map(({ body }) => body)).toEqual(['{"erased":true}']);
  await removeRows([row, feed]);
});

test('a reader of the feed does not wait for the clean-up after an event', async () => {
  const { tenant } = await newTenant();
  const row = await ownRow(tenant, 'slow');
  let waitedMs = Number.POSITIVE_INFINITY;
  await between(
    async ({ operation, input }, next) => {
      // All is done but to remove the row.
      if (operation === 'BatchWriteItem' && JSON.stringify(input).includes(row.sk)) {
        const startedMs = now();
        await untilPublished(tenant, newMeter());
        waitedMs = now() - startedMs;
      }
      return next();
    },
    () => publish([row]),
  );
  // It gives up after two seconds.
  expect(waitedMs).toBeLessThan(1_900);
});
