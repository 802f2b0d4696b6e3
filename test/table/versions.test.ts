import { randomInt } from 'node:crypto';
import * as v from 'valibot';
import { beforeEach, expect, test } from 'vitest';
import { hourMs, shifted } from '#lib/core/clock.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { readCounters } from '#lib/table/counters.ts';
import { countedOf, type Entity, entity, type Item, indexEntries } from '#lib/table/entity.ts';
import { countEntries, entries, listCopies, listIndexed } from '#lib/table/entries.ts';
import { identity } from '#lib/table/keys.ts';
import { listAll, listPage } from '#lib/table/list.ts';
import { newMeter, pages } from '#lib/table/pages.ts';
import { reindexing, reindexSagaId, startReindexing } from '#lib/table/reindex.ts';
import { Sagas } from '#lib/table/saga.ts';
import { finishSaga, transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { dyingAfter } from '#test/crash.ts';

const colors = ['red', 'green', 'blue'] as const;

/** As the release before knows it. */
const Older = entity({
  name: 'mark',
  schema: v.object({ id: v.number(), title: v.string(), color: v.picklist(colors), weight: v.number() }),
  indexes: { color: ({ color }) => color },
  counters: { marks: { of: ({ color }) => ({ name: color, add: { count: 1 } }) } },
});

/** A field is called otherwise, another is required, and there are two indexes and a counter more. */
const Newer = entity({
  name: 'mark',
  schema: v.object({
    id: v.number(),
    name: v.string(),
    color: v.picklist(colors),
    weight: v.number(),
    size: v.picklist(['small', 'large']),
  }),
  upgrades: [
    ({ title, ...older }) => ({ ...older, name: title, size: Number(older['weight']) >= 50 ? 'large' : 'small' }),
  ],
  indexes: {
    color: ({ color }) => color,
    size: { of: ({ size }) => size, copy: ({ name }) => ({ name }), since: 2 },
    heavy: { of: ({ size }) => size === 'large', order: ({ weight }) => String(weight).padStart(4, '0'), since: 2 },
    search: { copy: ({ name }) => ({ text: name.toLowerCase() }), since: 2 },
  },
  counters: {
    marks: { of: ({ color }) => ({ name: color, add: { count: 1 } }) },
    weights: { of: ({ size, weight }) => ({ name: size, add: { count: 1, weight } }), since: 2 },
  },
});

const count = 300;
let tenant: Tenant;
const unit = () => new UnitOfWork(tenant, system);

beforeEach(async () => {
  // No workspace has such a number.
  tenant = { workspaceId: randomInt(1_500_000_000, 2_000_000_000), env: 'live' };
  for (let first = 1; first <= count; first += 50) {
    await transact(tenant, system, async (tx) => {
      for (let id = first; id < first + 50; id += 1)
        tx.create(Older, { id, title: `Mark ${id}`, color: colors[id % 3] ?? 'red', weight: id % 100 });
    });
  }
});

const sorted = <T>(all: Iterable<T>) => [...all].map((one) => JSON.stringify(one)).sort();

/** Every query by what is new says what the rows say. */
async function requireRight(): Promise<void> {
  const of = Newer;
  const marks = (await listAll(unit(), of)).reverse();
  const large = marks.filter(({ size }) => size === 'large');
  const { items, hasMore } = await listPage(unit(), of, { where: { size: 'large' }, limit: 10 });
  expect(items).toEqual(large.slice(0, 10));
  expect(hasMore).toBe(true);
  const mixed = await listPage(unit(), of, { where: { size: 'large', color: 'red' }, limit: 500 });
  expect(mixed.items).toEqual(large.filter(({ color }) => color === 'red'));
  const found = await listPage(unit(), of, { contains: { search: 'mark 12' }, limit: 500 });
  expect(found.items).toEqual(marks.filter(({ name }) => name.toLowerCase().includes('mark 12')));
  expect(sorted(await listIndexed(unit(), of, { size: 'small' }))).toEqual(
    sorted(marks.filter(({ size }) => size === 'small')),
  );
  const copies = await listCopies(unit(), of, { size: 'large' });
  expect(copies.map((copy) => copy['name'])).toEqual(large.map(({ name }) => name));
  expect(await countEntries(unit(), of, { size: 'large', color: 'blue' }, 200, newMeter())).toBe(
    large.filter(({ color, id }) => color === 'blue' && id < 200).length,
  );
  const heaviest: number[] = [];
  for await (const page of entries(unit(), of, { heavy: true }, { above: '0090', limit: 20 }))
    heaviest.push(...page.map((entry) => Number(entry.of.sk)));
  const byWeight = large.filter(({ weight }) => weight >= 90).sort((a, b) => b.weight - a.weight || b.id - a.id);
  expect(heaviest).toEqual(byWeight.map(({ id }) => id));
  const sums = await readCounters(unit(), of, 'weights');
  const weightOf = (size: string) => marks.filter((mark) => mark.size === size);
  for (const size of ['small', 'large'])
    expect(sums.get(size)).toEqual({
      count: weightOf(size).length,
      weight: weightOf(size).reduce((sum, { weight }) => sum + weight, 0),
    });
}

/** What is stored beside the rows is what they say: nothing missing, nothing too much. */
async function requireInStep(of: Entity): Promise<void> {
  const rows = (await listAll(unit(), of)) as Item<typeof Newer>[];
  const expected = new Map(rows.flatMap((row) => [...indexEntries(tenant, of, row)]));
  const partitions = new Set([...expected.values()].map(({ pk }) => pk));
  for (const name of ['size=small', 'size=large', 'heavy', 'search'])
    partitions.add(`${tenant.workspaceId}:live#mark?${name}`);
  const stored: string[] = [];
  for (const pk of partitions) for await (const page of pages({ pk })) stored.push(...page.map(identity));
  expect(stored.sort()).toEqual([...expected.keys()].sort());
  const sums = new Map<string, number>();
  for (const row of rows)
    for (const { group, name, add } of countedOf(of, row))
      for (const [attribute, value] of Object.entries(add))
        sums.set(`${group} ${name} ${attribute}`, (sums.get(`${group} ${name} ${attribute}`) ?? 0) + value);
  for (const group of ['marks', 'weights']) {
    for await (const page of pages({ pk: `${tenant.workspaceId}:live#count/${group}` }))
      for (const { pk: _, sk, ...by } of page)
        for (const [attribute, value] of Object.entries(by)) {
          const name = `${group} ${sk.slice(0, sk.lastIndexOf('#'))} ${attribute}`;
          sums.set(name, (sums.get(name) ?? 0) - Number(value));
        }
  }
  expect([...sums].filter(([, difference]) => difference !== 0)).toEqual([]);
}

const start = () => transact(tenant, system, (tx) => startReindexing(tx, [Newer], { dueAt: shifted(tx.now, hourMs) }));
const finish = () => finishSaga(tenant, reindexing([Newer]), { id: reindexSagaId, actor: system });

const writeNewer = (id: number, change: Partial<Item<typeof Newer>>) =>
  transact(tenant, system, async (tx) => {
    tx.update(Newer, { ...(await tx.get(Newer, { id })), ...change });
  });

test('a row of an older version is upgraded when it is read', async () => {
  expect(await unit().get(Newer, { id: 60 })).toMatchObject({ name: 'Mark 60', size: 'large' });
  expect(await listPage(unit(), Newer, { where: { color: 'red' }, limit: 1 })).toMatchObject({
    items: [{ name: 'Mark 300', size: 'small' }],
  });
});

test('indexes and counters that a release adds are right once it is reindexed with writers at work', async () => {
  await writeNewer(7, { name: 'Mark 1200', size: 'large' });
  await transact(tenant, system, async (tx) => {
    tx.delete(Newer, await tx.get(Newer, { id: 8 }));
    tx.create(Newer, { id: count + 1, name: 'New', color: 'red', weight: 99, size: 'large' });
  });
  await start();
  const writers = Array.from({ length: 3 }, async (_, writer) => {
    for (let turn = 0; turn < 15; turn += 1) {
      const id = 10 + ((turn * 37 + writer * 100) % 280);
      await writeNewer(id, { weight: turn, color: colors[turn % 3] ?? 'red', size: turn % 2 ? 'large' : 'small' });
    }
  });
  await Promise.all([finish(), ...writers]);
  expect(await unit().find(Sagas, { id: reindexSagaId })).toBeUndefined();
  await requireRight();
  await requireInStep(Newer);
});

test('reindexing resumes where its process died, and counts nothing twice', async () => {
  await start();
  for (let deaths = 0; (await unit().find(Sagas, { id: reindexSagaId })) !== undefined; deaths += 1) {
    expect(deaths).toBeLessThan(100);
    await dyingAfter(deaths % 3, () => finish());
  }
  await requireRight();
  await requireInStep(Newer);
});
