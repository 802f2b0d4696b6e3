import * as v from 'valibot';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { hourMs, shifted } from '#lib/core/clock.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { entity, keyOf } from '#lib/table/entity.ts';
import { listPage, searchable, searched } from '#lib/table/list.ts';
import { putRows, writeRows } from '#lib/table/rows.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { createWorkspace } from '#lib/workspaces/create.ts';
import { rowsAtOnce, rowsRead, slowly, unitsRead } from '#test/rows.ts';

const Marks = entity({
  name: 'mark',
  schema: v.object({ id: v.number(), createdAt: v.string(), isRare: v.boolean() }),
  indexes: {
    all: {},
    even: ({ id }) => id % 2 === 0,
    search: { copy: ({ id }) => searchable(`mark ${id % 100 === 0 ? 'hundred' : 'other'} ${'x'.repeat(4000)}`) },
  },
});

const count = 600;
const start = '2026-01-01T00:00:00Z';
/** One an hour. */
const createdAt = (id: number) => shifted(start, id * hourMs);
let tenant: Tenant;

beforeAll(async () => {
  tenant = { workspaceId: (await createWorkspace({ name: 'Test', currency: 'EUR' })).id, env: 'live' };
  for (let first = 1; first <= count; first += 40) {
    await transact(tenant, system, async (tx) => {
      for (let id = first; id < first + 40; id += 1)
        tx.create(Marks, { id, createdAt: createdAt(id), isRare: id % 200 === 0 });
    });
  }
});

afterEach(() => vi.unstubAllEnvs());

const searches: [what: string, asked: Omit<Parameters<typeof listPage<typeof Marks>>[2], 'limit'>, ids: number[]][] = [
  ['its partition', { matches: ({ isRare }) => isRare }, [600, 400, 200]],
  ['an index', { where: { all: true }, matches: ({ isRare }) => isRare }, [600, 400, 200]],
  ['a text', { contains: { search: searched('HUNDRED') } }, [600, 500, 400, 300, 200, 100]],
  ['two indexes', { where: { even: true }, contains: { search: searched('hundred') } }, [600, 500, 400, 300, 200, 100]],
  ['a text that nothing has', { contains: { search: searched('nowhere') } }, []],
];
const ends = {
  'has read what one call may read': async <Result>(work: () => Promise<Result>) => {
    vi.stubEnv('READ_UNITS_PER_LIST', '1');
    return work();
  },
  'reads for so long that its function would be ended': <Result>(work: () => Promise<Result>) => slowly(work),
};

test.each(
  searches.flatMap((search) =>
    Object.entries(ends).map(([why, ending]) => [search[0], why, search[1], search[2], ending] as const),
  ),
)('a search by %s ends its page, and resumes at the cursor: %s', async (_, __, asked, ids, ending) => {
  const found: number[] = [];
  let after: number | undefined;
  let calls = 0;
  for (let hasMore = true; hasMore; ) {
    const page = await ending(() => listPage(new UnitOfWork(tenant, system), Marks, { ...asked, limit: 4, after }));
    found.push(...page.items.map(({ id }) => id));
    expect(page.hasMore).toBe(page.nextCursor !== null);
    if (after !== undefined && page.nextCursor !== null) expect(page.nextCursor).toBeLessThan(after);
    after = page.nextCursor ?? undefined;
    hasMore = page.hasMore;
    calls += 1;
  }
  expect(found).toEqual(ids);
  vi.stubEnv('READ_UNITS_PER_LIST', '10000');
  const whole = await listPage(new UnitOfWork(tenant, system), Marks, { ...asked, limit: 100 });
  expect(whole).toMatchObject({ hasMore: false, nextCursor: null });
  expect(calls).toBeGreaterThan(1);
});

test('a search reads 2,500 units of the table at most by default', async () => {
  const Stones = entity({ name: 'stone', schema: v.object({ id: v.number(), weight: v.string() }) });
  // A hundred units each.
  const weight = 'x'.repeat(400_000);
  const stones = Array.from({ length: 40 }, (_, index) => ({ id: index + 1, weight }));
  const rows = stones.map((stone) => ({ ...keyOf(tenant, Stones, stone), ...stone, v: 1 }));
  for (let first = 0; first < rows.length; first += 20)
    await writeRows(rows.slice(first, first + 20).map((Item) => ({ PutRequest: { Item } })));
  // It would end by its time on a slow machine.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  const page = await listPage(new UnitOfWork(tenant, system), Stones, { limit: 25, matches: () => false });
  vi.useRealTimers();
  expect(page).toMatchObject({ items: [], hasMore: true });
  expect(Math.abs(40 - Number(page.nextCursor) - 25)).toBeLessThan(10);
});

test.each([
  ['its partition', {}, 100],
  ['an index', { where: { all: true as const } }, 200],
])('a list of what was created lately does not read all of %s', async (_, where, most) => {
  const since = createdAt(count - 9);
  const matches = (mark: { createdAt: string }) => mark.createdAt >= since;
  const tx = new UnitOfWork(tenant, system);
  const listing = { ...where, limit: 25, matches };
  const read = await rowsRead(async () => {
    const page = await listPage(tx, Marks, { ...listing, createdSince: since });
    expect(page.items.map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, index) => count - index));
    expect(page).toMatchObject({ hasMore: false, nextCursor: null });
  });
  expect(read).toBeLessThanOrEqual(most);
  expect(await rowsRead(() => listPage(new UnitOfWork(tenant, system), Marks, listing))).toBeGreaterThanOrEqual(count);
});

test.each([
  ['its partition', {}],
  ['an index', { where: { all: true as const } }],
])('rows that a filter of %s passes over are not kept in memory', async (_, where) => {
  const tx = new UnitOfWork(tenant, system);
  const { items } = await listPage(tx, Marks, { ...where, limit: 25, matches: ({ isRare }) => isRare });
  expect(items.map(({ id }) => id)).toEqual([600, 400, 200]);
  for (const mark of items) tx.requireUnchanged(Marks, mark);
  expect(() => tx.requireUnchanged(Marks, { id: 599, createdAt: createdAt(599), isRare: false })).toThrow(
    'without having been read',
  );
});

test('a filter reads few rows side by side, because none says how large it is before', async () => {
  const Dots = entity({ name: 'dot', schema: v.object({ id: v.number() }), indexes: { all: {} } });
  for (let first = 1; first < 1000; first += 50) {
    await transact(tenant, system, async (tx) => {
      for (let id = first; id < first + 50; id += 1) tx.create(Dots, { id });
    });
  }
  const none = { where: { all: true as const }, limit: 25, matches: () => false };
  expect(await rowsAtOnce(() => listPage(new UnitOfWork(tenant, system), Dots, none))).toBe(400);
});

test('a page ends where more would not fit an answer, with one item at least', async () => {
  const page = async (shownBytes: number, after?: number) => {
    const listing = { after, limit: 100, shownBytes: () => shownBytes };
    return listPage(new UnitOfWork(tenant, system), Marks, listing);
  };
  expect(await page(1_000_000)).toMatchObject({ items: { length: 5 }, hasMore: true, nextCursor: 596 });
  expect(await page(9_000_000)).toMatchObject({ items: { length: 1 }, hasMore: true, nextCursor: 600 });
  expect(await page(9_000_000, 2)).toMatchObject({ items: { length: 1 }, hasMore: false, nextCursor: null });
});

test('adjacent rows are billed by their bytes together, others separately', async () => {
  const tx = () => new UnitOfWork(tenant, system);
  const even = await unitsRead(() => listPage(tx(), Marks, { limit: 25, where: { even: true } }));
  expect(even).toBeLessThan(5);
  const far = Array.from({ length: 25 }, (_, index) => ({ id: 3 * index + 1 }));
  expect(await unitsRead(() => tx().findAll(Marks, far))).toBe(25);
});

test('names that look like ids near each other cost little of what else lies between them', async () => {
  const Names = entity({ name: 'named', schema: v.object({ name: v.string() }), sortKey: ({ name }) => name });
  const asked = Array.from({ length: 20 }, (_, index) => ({ name: String(index + 1) }));
  const others = Array.from({ length: 400 }, (_, index) => ({ name: `1x${index}` }));
  await putRows([...asked, ...others].map((one) => ({ ...one, ...keyOf(tenant, Names, one), v: 1 })));
  const tx = new UnitOfWork(tenant, system);
  expect(await rowsRead(async () => expect(await tx.findAll(Names, asked)).toEqual(asked))).toBeLessThan(70);
});

test('rows that lie near each other and are more than a page of the table are all found', async () => {
  const places = Array.from({ length: 40 }, (_, index) => ({ id: index + 1 }));
  const Large = entity({ name: 'large', schema: v.object({ id: v.number(), text: v.string() }) });
  for (const { id } of places)
    await transact(tenant, system, async (tx) => tx.create(Large, { id, text: 'x'.repeat(50_000) }));
  const found = await new UnitOfWork(tenant, system).findAll(Large, [...places, { id: 41 }].reverse());
  expect(found.map(({ id }) => id)).toEqual(places.map(({ id }) => id).reverse());
});
