import * as v from 'valibot';
import { beforeAll, expect, test } from 'vitest';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { entities } from '#lib/entities/all.ts';
import { entity } from '#lib/table/entity.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { newWorkspace } from '#test/workspace.ts';

const Boxes = entity({
  name: 'counting-box',
  schema: v.object({ id: v.number(), name: v.string(), count: v.number() }),
  countedBeside: ['count'],
});
const Things = entity({
  name: 'counted-thing',
  schema: v.object({ id: v.number(), boxId: v.number() }),
  references: [{ to: 'counting-box', field: 'boxId', counts: 'count' }],
});

let tenant: Tenant;
beforeAll(async () => {
  tenant = { workspaceId: (await newWorkspace()).id, env: 'live' };
});
const run = <Result>(work: (tx: UnitOfWork) => Promise<Result>) => transact(tenant, operator, work);
const box = (id: number) => run((tx) => tx.get(Boxes, { id }));

test('a count of references is counted beside the row, in every entity', () => {
  const counting = entities.flatMap(({ references = [] }) => references.filter(({ counts }) => counts !== undefined));
  expect(counting.length).toBeGreaterThan(1);
  for (const { to, counts } of counting)
    expect(entities.find(({ name }) => name === to)?.countedBeside).toContain(counts);
});

test('a change of a row keeps what is counted meanwhile, and runs once', async () => {
  await run(async (tx) => tx.create(Boxes, { id: 1, name: 'old', count: 0 }));
  let runs = 0;
  await run(async (tx) => {
    runs += 1;
    const read = await tx.get(Boxes, { id: 1 });
    if (runs === 1) {
      await run(async (other) => other.create(Things, { id: 1, boxId: 1 }));
      await run(async (other) => other.add(Boxes, { id: 1 }, { count: 5 }));
    }
    tx.update(Boxes, { ...read, name: 'new' });
  });
  expect([runs, await box(1)]).toEqual([1, { id: 1, name: 'new', count: 6 }]);
});

test('a change of a row counts what its own transaction adds', async () => {
  await run(async (tx) => tx.create(Boxes, { id: 2, name: 'old', count: 1 }));
  await run(async (tx) => {
    const read = await tx.get(Boxes, { id: 2 });
    tx.add(Boxes, { id: 2 }, { count: 10 });
    tx.update(Boxes, { ...read, name: 'new' });
    tx.create(Things, { id: 2, boxId: 2 });
    tx.add(Boxes, { id: 2 }, { count: 100 });
  });
  expect(await box(2)).toEqual({ id: 2, name: 'new', count: 112 });
});

test('a row that is made with what names it has its count', async () => {
  await run(async (tx) => {
    tx.create(Boxes, { id: 3, name: 'new', count: 0 });
    tx.create(Things, { id: 3, boxId: 3 });
  });
  expect(await box(3)).toMatchObject({ count: 1 });
});
