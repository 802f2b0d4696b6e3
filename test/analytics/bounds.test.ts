import { setImmediate as turn } from 'node:timers/promises';
import * as v from 'valibot';
import { afterEach, expect, test, vi } from 'vitest';
import { analyseDashboard, DashboardQuery } from '#lib/analytics/dashboard.ts';
import { analyseMessaging } from '#lib/analytics/messaging.ts';
import { dayMs, monthOf, shifted, timestamp } from '#lib/core/clock.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { Jobs } from '#lib/entities/job.ts';
import { Messages } from '#lib/entities/message.ts';
import { Tasks } from '#lib/entities/task.ts';
import { summariseJobs } from '#lib/messages/jobs/summary.ts';
import { readGroup } from '#lib/table/counters.ts';
import { indexPartition, keyOf } from '#lib/table/entity.ts';
import { sortableId } from '#lib/table/keys.ts';
import { newMeter } from '#lib/table/pages.ts';
import { putRows } from '#lib/table/rows.ts';
import { eachPage } from '#lib/table/summing.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { between } from '#test/between.ts';
import { rowsRead, slowly } from '#test/rows.ts';
import { newWorkspace } from '#test/workspace.ts';

const timeZone = 'UTC';

afterEach(() => {
  vi.unstubAllEnvs();
});

const unit = (tenant: Tenant) => new UnitOfWork(tenant, system);

/** Entries of one day, as many as DynamoDB does not read at once. */
const largeDay = (pk: string, day: string, more: object) =>
  putRows(
    Array.from({ length: 4 }, (_, id) => ({
      ...{ pk, sk: `${day}T12:00:00Z#${sortableId(id + 1)}`, of: { pk: 'nowhere', sk: sortableId(id + 1) } },
      ...{ contactId: 1, channel: 'telegram', accountId: 7, at: `${day}T12:00:00Z`, ...more },
      padding: 'x'.repeat(390_000),
    })),
  );

const tooLarge = { status: 400, details: { reason: 'range_too_large' } };

test('a range with more messages than one call may read is refused, and a shorter one is not', async () => {
  const { id: workspaceId } = await newWorkspace();
  const tenant: Tenant = { workspaceId, env: 'live' };
  const day = '2026-03-01';
  const entry = { direction: 'inbound', status: 'received' };
  await largeDay(indexPartition(tenant, Messages, { month: monthOf(day) }), day, entry);
  const spring = { from: '2026-03-01T00:00:00Z', to: '2026-03-05T00:00:00Z' };
  const later = { from: '2026-03-02T00:00:00Z', to: '2026-03-02T01:00:00Z' };
  const analyses = [
    (range: typeof spring) => analyseDashboard(unit(tenant), { ...range, timeZone }).then(({ messages }) => messages),
    (range: typeof spring) =>
      analyseMessaging(unit(tenant), { ...range, timeZone, groupBy: 'day' }).then(({ totals }) => totals),
  ];
  for (const analyse of analyses) {
    expect(await analyse(spring)).toMatchObject({ received: 4 });
    await expect(slowly(() => analyse(spring), 20)).rejects.toMatchObject(tooLarge);
  }
  vi.stubEnv('READ_UNITS_PER_LIST', '100');
  for (const analyse of analyses) {
    await expect(analyse(spring)).rejects.toMatchObject(tooLarge);
    expect(await analyse(later)).toMatchObject({ received: 0 });
  }
});

test('a summary of jobs since a time after which there are more than one call may read is refused', async () => {
  const { id: workspaceId } = await newWorkspace();
  const tenant: Tenant = { workspaceId, env: 'live' };
  const day = shifted(timestamp(), -2 * dayMs).slice(0, 10);
  await largeDay(indexPartition(tenant, Jobs, { month: monthOf(day) }), day, { status: 'sent' });
  const since = (time: string) => summariseJobs(unit(tenant), time);
  expect(await since(`${day}T00:00:00Z`)).toMatchObject({ sent: 4 });
  vi.stubEnv('READ_UNITS_PER_LIST', '100');
  await expect(since(`${day}T00:00:00Z`)).rejects.toMatchObject(tooLarge);
  expect(await since(`${day}T13:00:00Z`)).toMatchObject({ sent: 0 });
});

test('days that are each read at once are no more than the call may read together', async () => {
  vi.stubEnv('READ_UNITS_PER_LIST', '5');
  const meter = newMeter();
  let days = 0;
  async function* day() {
    days += 1;
    meter.unitsLeft -= 1;
    yield [];
  }
  await eachPage(
    Array.from({ length: 300 }, (_, index) => index),
    meter,
    day,
    () => undefined,
  );
  expect(meter.stoppedAt).toBeDefined();
  expect(days).toBeLessThan(30);
});

test('the dashboard counts unread and overdue rows without reading each of them', async () => {
  const { id: workspaceId, live } = await newWorkspace();
  const tenant: Tenant = { workspaceId, env: 'live' };
  const past = shifted(timestamp(), -100 * dayMs);
  await Promise.all(
    [past, past, shifted(timestamp(), -1000), shifted(timestamp(), dayMs)].map((dueAt) =>
      live.post('/v1/tasks', { title: 'Call', dueAt }),
    ),
  );
  // Entries of nobody: whoever looks at them counts them.
  const entries = (pk: string, of: typeof Contacts | typeof Tasks, order = '') =>
    putRows(
      Array.from({ length: 90 }, (_, id) => ({
        ...{
          pk,
          sk: `${order}${sortableId(10_000 + id)}`,
          of: keyOf<typeof Contacts | typeof Tasks>(tenant, of, { id: 10_000 + id }),
        },
      })),
    );
  await entries(indexPartition(tenant, Contacts, { unread: true }), Contacts);
  await entries(indexPartition(tenant, Tasks, { due: true }), Tasks, `${past}#`);
  let dashboard: unknown;
  const rows = await rowsRead(async () => {
    dashboard = await analyseDashboard(unit(tenant), { timeZone });
  });
  expect(dashboard).toMatchObject({ contacts: { withUnread: 0 }, tasks: { open: 4, overdue: 3 } });
  expect(rows).toBeLessThan(60);
});

test('tasks due before 2000 or after 2099 share one counter each', async () => {
  const { id: workspaceId, live } = await newWorkspace();
  const years = ['0001', '0900', '1969', '1999', '2100', '2500', '9999'];
  for (const year of years)
    for (const month of ['01', '07'])
      await live.post('/v1/tasks', { title: 'Call', dueAt: `${year}-${month}-01T00:00:00Z` });
  const tx = unit({ workspaceId, env: 'live' });
  expect((await live.get('/v1/analytics/dashboard')).body).toMatchObject({ tasks: { open: 14, overdue: 8 } });
  const months = [...(await readGroup(tx, 'tasks')).keys()].filter((name) => name.startsWith('due/'));
  expect(months.sort()).toEqual(['due/1999-12', 'due/2100-01']);
});

/** Around the ends of months, their middles and the ends of the ranges below. */
const times = [
  ...['2026-01-31T23:59:59Z', '2026-02-01T00:00:00Z', '2026-02-14T12:00:00Z', '2026-02-15T00:00:00Z'],
  ...['2026-02-20T08:00:00Z', '2026-02-20T08:00:01Z', '2026-02-28T23:59:59Z', '2026-03-01T00:00:00Z'],
  ...['2026-03-10T10:00:00Z', '2026-03-10T10:00:01Z', '2026-03-31T23:59:59Z', '2026-05-01T00:00:00Z'],
];

test('contacts that were made in a range are counted to the second', async () => {
  const { id: workspaceId, live } = await newWorkspace();
  const tenant: Tenant = { workspaceId, env: 'live' };
  const ids = await Promise.all(
    [...times, timestamp()].map(async () => (await live.post('/v1/contacts', { name: 'Ann' })).body.id),
  );
  for (const [index, createdAt] of times.entries()) {
    await transact(tenant, system, async (tx) => {
      tx.update(Contacts, { ...(await tx.get(Contacts, { id: ids[index] })), createdAt });
    });
  }
  const stages = ['contacted', 'qualified'];
  for (const id of ids.slice(0, 5)) await live.post(`/v1/contacts/${id}/stage`, { stage: stages[id % 2] });
  const ends = [...times, '2026-02-10T00:00:00Z', '2026-04-15T00:00:00Z', '2026-04-20T00:00:00Z'].sort();
  for (const from of ends) {
    for (const to of ends.filter((end) => end > from)) {
      const { contacts } = await analyseDashboard(unit(tenant), { from, to, timeZone });
      const made = times.filter((time) => from <= time && time <= to);
      expect({ from, to, ...contacts }).toMatchObject({ from, to, total: ids.length, new: made.length });
    }
  }
  expect((await analyseDashboard(unit(tenant), { timeZone })).contacts.new).toBe(1);
});

test('a range of months does not walk through what was made and completed in them', async () => {
  const { id: workspaceId } = await newWorkspace();
  const tenant: Tenant = { workspaceId, env: 'live' };
  const at = '2026-04-10T00:00:00Z';
  const entries = (pk: string) =>
    putRows(
      Array.from({ length: 90 }, (_, id) => ({ pk, sk: `${at}#${sortableId(id)}`, of: { pk, sk: sortableId(id) } })),
    );
  await entries(indexPartition(tenant, Contacts, { created: true }));
  await largeDay(indexPartition(tenant, Jobs, { month: '2026-04' }), '2026-04-10', { status: 'sent' });
  const rows = await rowsRead(() =>
    analyseDashboard(unit(tenant), { from: '2026-03-03T00:00:00Z', to: '2026-05-20T00:00:00Z', timeZone }),
  );
  expect(rows).toBeLessThan(20);
});

test.each([/./, /task/, /contact/])(
  'a refused read of the dashboard (%s) is an answer, and leaves no other unheard',
  async (refused) => {
    const { id: workspaceId } = await newWorkspace();
    const analyse = () => analyseDashboard(unit({ workspaceId, env: 'live' }), v.parse(DashboardQuery, {}));
    // What is complete is known then.
    await analyse();
    const unheard: unknown[] = [];
    const onTheirWay: Promise<unknown>[] = [];
    const note = (error: unknown) => unheard.push(error);
    const others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', note);
    try {
      await between(
        async ({ operation, input }, next) => {
          if (operation === 'Query' && refused.test(JSON.stringify(input))) throw new Error('refused');
          const answer = next();
          onTheirWay.push(answer);
          return answer;
        },
        () => expect(analyse()).rejects.toThrow('refused'),
      );
      await Promise.allSettled(onTheirWay);
      // An unheard rejection is told of after the microtasks.
      await turn();
    } finally {
      process.off('unhandledRejection', note);
      for (const other of others) process.on('unhandledRejection', other);
    }
    expect(unheard).toEqual([]);
  },
);
