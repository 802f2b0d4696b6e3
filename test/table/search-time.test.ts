import * as fc from 'fast-check';
import * as v from 'valibot';
import { beforeAll, expect, test } from 'vitest';
import { timestamp } from '#lib/core/clock.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { entity, keyOf } from '#lib/table/entity.ts';
import { listPage } from '#lib/table/list.ts';
import { putRows } from '#lib/table/rows.ts';
import { lastIdBy } from '#lib/table/search-time.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { createWorkspace } from '#lib/workspaces/create.ts';
import { between } from '#test/between.ts';

const Marks = entity({ name: 'mark', schema: v.object({ id: v.number(), createdAt: v.string() }) });
const startMs = Date.UTC(2026, 10, 1);
const at = (second: number) => timestamp(new Date(startMs + second * 1000));

let tenant: Tenant;

beforeAll(async () => {
  tenant = { workspaceId: (await createWorkspace({ name: 'Test', currency: 'EUR' })).id, env: 'live' };
});

test('the last id made by a time is found across gaps, and bounds a list', async () => {
  const rows = fc.array(fc.tuple(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 0, max: 3 })), {
    maxLength: 30,
  });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: -1, max: 60 }), async (steps, second) => {
      run += 1;
      const Here: typeof Marks = { ...Marks, within: `mark/${run}` };
      let id = 0;
      let time = 0;
      const marks = steps.map(([idStep, timeStep]) => {
        id += idStep;
        time += timeStep;
        return { id, createdAt: at(time) };
      });
      await transact(tenant, system, async (tx) => {
        for (const mark of marks) tx.create(Here, mark);
      });
      const tx = new UnitOfWork(tenant, system);
      const found = await lastIdBy(tx, Here, {}, at(second));
      const isBy = (mark: { createdAt: string }) => mark.createdAt <= at(second);
      expect(marks.filter((mark) => mark.id <= found)).toEqual(marks.filter(isBy));
      const later = await listPage(tx, Here, { limit: 100, above: found });
      expect(later.items.reverse()).toEqual(marks.filter((mark) => !isBy(mark)));
    }),
    { numRuns: 40 },
  );
});

test('expired rows that are still stored do not cost a call each', async () => {
  const Here: typeof Marks = { ...Marks, within: 'mark/expired' };
  const marks = Array.from({ length: 300 }, (_, index) => ({ id: index + 1, createdAt: at(index) }));
  await putRows(
    marks.map((mark) => ({
      ...mark,
      ...keyOf(tenant, Here, mark),
      v: 1,
      ...(mark.id <= 297 && { expiresAtSeconds: 1_700_000_000 }),
    })),
  );
  let calls = 0;
  const counted = <Result>(work: (tx: UnitOfWork) => Promise<Result>): Promise<Result> => {
    calls = 0;
    const step = (_: unknown, next: () => Promise<Record<string, unknown>>) => {
      calls += 1;
      return next();
    };
    return between(step, () => work(new UnitOfWork(tenant, system)));
  };
  expect(await counted((tx) => lastIdBy(tx, Here, {}, at(150)))).toBe(151);
  expect(calls).toBeLessThan(60);
  expect((await counted((tx) => listPage(tx, Here, { limit: 5 }))).items.map(({ id }) => id)).toEqual([300, 299, 298]);
  expect(calls).toBeLessThan(5);
});
