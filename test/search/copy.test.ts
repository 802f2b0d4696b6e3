import { beforeAll, expect, test } from 'vitest';
import { dayMs, minuteMs, secondMs } from '#lib/core/clock.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { Copies } from '#lib/entities/copy.ts';
import { Threads } from '#lib/entities/email-thread.ts';
import { Tasks } from '#lib/entities/task.ts';
import { isStored, removeFiles } from '#lib/files/bucket.ts';
import { copyKey } from '#lib/files/keys.ts';
import { askRenewal } from '#lib/search/copy-store.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { between } from '#test/between.ts';
import { advance, settle } from '#test/harness.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';
import { fill } from './filled.ts';

let workspace: TestWorkspace;
let live: TestWorkspace['live'];
let tenant: Tenant;
let first: number;
let ids: number[];

const copyOf = () => UnitOfWork.forAnswer(tenant, system).find(Copies, { noun: 'contact' });
const fileOf = async () => copyKey(tenant, 'contact', String((await copyOf())?.version));
const search = async (body: object) => (await live.post('/v1/contacts/search', body, 200)).body;
const best = { filter: { field: 'leadScore', op: 'gte', value: 90 }, sort: [{ field: 'leadScore' }], count: true };
const total = async (more = {}) => (await search({ ...best, ...more })).total;

/** Returns what comes of a search, and how many rows it has read of all contacts. */
async function read<Result>(work: () => Promise<Result>): Promise<{ result: Result; rows: number }> {
  let rows = 0;
  const partition = `${workspace.id}:live#contact`;
  const result = await between(async ({ input }, next) => {
    const answer = await next();
    const { ExpressionAttributeValues: values } = input as { ExpressionAttributeValues?: Record<string, unknown> };
    if (values?.[':pk'] === partition && !values[':first']) rows += (answer['Items'] as unknown[]).length;
    return answer;
  }, work);
  return { result, rows };
}

beforeAll(async () => {
  workspace = await newWorkspace();
  ({ live } = workspace);
  tenant = { workspaceId: workspace.id, env: 'live' };
  first = (await live.post('/v1/contacts', { name: 'First', leadScore: 50, email: 'first@example.com' }, 201)).body.id;
  ids = await fill(tenant, Contacts, first, 1100, (index) => ({
    name: `Contact ${index}`,
    leadScore: index % 100,
    email: null,
  }));
  await search(best);
  await settle();
});

test('a search of a thousand rows has a copy made, which the next one reads', async () => {
  expect(await copyOf()).toMatchObject({ version: expect.any(String), rows: 1101, renewAt: null, next: null });
  expect(await isStored(await fileOf())).toBe(true);
  const { result, rows } = await read(() => search(best));
  expect(result.total).toBe(110);
  expect(result.items.map(({ id }: { id: number }) => id)).toEqual(
    Array.from({ length: 25 }, (_, index) => ids[(10 - (index % 11)) * 100 + 90 + Math.floor(index / 11)]),
  );
  expect(rows).toBe(0);
});

test('a search sees what was changed, made, archived, and erased since the copy', async () => {
  const [one, other, third] = ids.slice(90, 93) as [number, number, number];
  expect(await total()).toBe(110);
  await live.post(`/v1/contacts/${one}/lead-score`, { score: 1 }, 200);
  expect(await total()).toBe(109);
  const made = (await live.post('/v1/contacts', { name: 'New', leadScore: 99 }, 201)).body.id;
  expect(await total()).toBe(110);
  await live.post(`/v1/contacts/${other}/archive`, {}, 200);
  expect([await total(), await total({ archived: true }), await total({ archived: 'all' })]).toEqual([109, 1, 110]);
  await live.post(`/v1/contacts/${made}/merge`, { sourceContactId: third }, 200);
  expect(await total()).toBe(108);
  expect((await read(() => total({ q: 'contact 1095' }))).result).toBe(1);
});

test('a search over everything reads the copy, and what has changed since', async () => {
  const [changed] = ids.slice(95, 96) as [number];
  await live.patch(`/v1/contacts/${changed}`, { name: 'Contact 1097b' }, 200);
  const { result, rows } = await read(() => live.get('/v1/search', { q: 'contact 1097', types: 'contacts' }, 200));
  expect(result.body.items.map(({ id }: { id: number }) => id)).toEqual([ids[1097], changed]);
  expect(result.body.items[0]).toMatchObject({
    title: 'Contact 1097',
    matched: [
      {
        field: 'name',
        text: 'Contact 1097',
        ranges: [
          [0, 7],
          [8, 12],
        ],
      },
    ],
  });
  expect(rows).toBe(0);
});

test('pages of a search without an order end where they have enough, and go on', async () => {
  const { items, nextCursor } = await search({ filter: best.filter, limit: 3 });
  const next = await search({ filter: best.filter, limit: 3, cursor: nextCursor });
  const all = await search({ filter: best.filter, limit: 6 });
  expect([...items, ...next.items]).toEqual(all.items);
});

test('a field that is made after the copy is searched with it', async () => {
  await advance(20 * minuteMs);
  await live.post('/v1/fields', { object: 'contact', slug: 'seats', title: 'Seats', type: 'number' }, 201);
  await live.patch(`/v1/contacts/${first}`, { fields: { seats: 7 } }, 200);
  const { result, rows } = await read(() => search({ filter: { field: 'fields.seats', op: 'gte', value: 5 } }));
  expect(result.items.map(({ id }: { id: number }) => id)).toEqual([first]);
  expect(rows).toBe(0);
});

test('a copy of a day is renewed: it has the changes, and the old file is gone', async () => {
  const old = await fileOf();
  await advance(dayMs);
  await total();
  await settle();
  expect(await fileOf()).not.toBe(old);
  expect([await isStored(old), await isStored(await fileOf())]).toEqual([false, true]);
  const { result, rows } = await read(() => search({ filter: { field: 'fields.seats', op: 'isSet' }, count: true }));
  expect([result.total, rows]).toEqual([1, 0]);
});

test('a search reads the rows while the file of the copy cannot be read', async () => {
  await removeFiles([await fileOf()]);
  const { result, rows } = await read(() => total({ filter: { field: 'leadScore', op: 'eq', value: 95 } }));
  expect(result).toBe(11);
  expect(rows).toBeGreaterThan(1000);
});

test('a copy whose file is gone is made of all rows', async () => {
  await askRenewal(tenant, 'contact');
  await advance(10 * minuteMs);
  const { result, rows } = await read(() => total());
  expect([result, rows]).toEqual([108, 0]);
});

test('an erasure removes the copy, and every file of it', async () => {
  const file = await fileOf();
  await live.post(`/v1/contacts/${first}/erasure`, { confirm: String(first) }, 202);
  await advance(minuteMs);
  await settle();
  expect(await copyOf()).toMatchObject({ version: null, next: null });
  expect(await isStored(file)).toBe(false);
});

test('a search that takes too long without a copy is 503, and has one made', async () => {
  const { id } = (await live.post('/v1/tasks', { title: 'Task' }, 201)).body;
  await fill(tenant, Tasks, id, 1100, (index) => ({ title: `Task ${index}` }));
  const tooLong = between(
    async ({ input }, next) => {
      const answer = await next();
      const { ExpressionAttributeValues: values } = input as { ExpressionAttributeValues?: Record<string, unknown> };
      if (values?.[':pk'] === `${workspace.id}:live#task`) await advance(21 * secondMs);
      return answer;
    },
    () => live.post('/v1/tasks/search', { q: 'task' }),
  );
  expect(await tooLong).toMatchObject({ status: 503, headers: { 'retry-after': '30' } });
  const copyOfTasks = () => UnitOfWork.forAnswer(tenant, system).find(Copies, { noun: 'task' });
  await settle();
  expect(await copyOfTasks()).toMatchObject({ version: expect.any(String), rows: 1101 });
});

test('threads are found by their copy, and by what has changed since', async () => {
  const copyOfThreads = () => UnitOfWork.forAnswer(tenant, system).find(Copies, { noun: 'email-thread' });
  const mail = { to: ['zed@quimby.example'], subject: 'Seats', bodyText: 'For 450 people.' };
  await live.post('/v1/email/messages', mail, 202);
  await settle();
  const [{ id }] = (await live.get('/v1/email/threads', { q: 'quimby' }, 200)).body.items;
  const threads = await fill(tenant, Threads, id, 1100, (index) => ({ subject: `Subject ${index}` }));
  await live.get('/v1/email/threads', { q: 'xyzzy' }, 200);
  await settle();
  expect(await copyOfThreads()).toMatchObject({ version: expect.any(String), rows: 1101 });
  await live.post('/v1/email/messages', { ...mail, subject: 'Subject 1097, too' }, 202);
  await settle();
  const found = (await live.get('/v1/email/threads', { q: 'quimby subject 1097' }, 200)).body.items;
  expect(found.map(({ subject }: { subject: string }) => subject)).toEqual(['Subject 1097, too', 'Subject 1097']);
  const { items } = (await live.get('/v1/search', { q: 'subject 1097', types: 'threads' }, 200)).body;
  expect(items).toMatchObject([
    { type: 'thread', id: threads[1097], title: 'Subject 1097' },
    { type: 'thread', id: found[0].id, title: 'Subject 1097, too' },
  ]);
});

test('a search over everything has a copy made', async () => {
  const { body } = await live.get('/v1/search', { q: 'contact 1097', types: 'contacts' }, 200);
  expect(body.items).toHaveLength(2);
  expect(await copyOf()).toMatchObject({ version: null, renewAt: expect.any(String) });
  await advance(10 * minuteMs);
  expect(await copyOf()).toMatchObject({ version: expect.any(String), renewAt: null });
});

test('a copy ranks hits as the rows themselves', async () => {
  const own = await newWorkspace();
  const of = { workspaceId: own.id, env: 'live' } as const;
  const { body } = await own.live.post('/v1/contacts', { name: 'Ümit', phone: '+49 (170) 123-45-67' }, 201);
  const names = ['Ümit', 'Umit Öz', 'Öz, Umit', 'Resumit', 'Umit-Öz', 'Else'];
  const phones = ['+49 170 1234567', '0170 1234567', '+49 170 12345678', null];
  const at = (index: number) => `2026-11-${String(10 + (index % 7))}T10:00:00Z`;
  await fill(of, Contacts, body.id, 1100, (index) => ({
    name: names[index % 6] as string,
    phone: phones[index % 4] as string | null,
    company: index % 5 === 0 ? 'Umit' : null,
    createdAt: at(index),
    updatedAt: index % 3 === 0 ? at(index + 1) : null,
  }));
  const asked = ['umit', 'öz umit', 'mit', '+49 (170) 123-45-67', '170 123', 'else'];
  const answers = () =>
    Promise.all(asked.map(async (q) => (await own.live.get('/v1/search', { q, types: 'contacts' }, 200)).body.items));
  const before = await answers();
  await advance(10 * minuteMs);
  expect(await UnitOfWork.forAnswer(of, system).find(Copies, { noun: 'contact' })).toMatchObject({ rows: 1101 });
  expect(await answers()).toEqual(before);
  for (const items of before) expect(items.length).toBe(50);
});
