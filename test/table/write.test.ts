import { globSync, readFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { leases } from '#lib/table/lease.ts';
import { readRow } from '#lib/table/rows.ts';
import { Attribute, type Condition, writeIf } from '#lib/table/write.ts';
import { newWorkspace } from '#test/workspace.ts';

let key: { pk: string; sk: string };
const row = { amount: 5, limit: 5, name: 'Ann', gone: null };

beforeEach(async () => {
  key = { pk: `${(await newWorkspace()).id}:live#trial`, sk: '1' };
  await writeIf({ key, item: row });
});

test.each<[Condition, boolean]>([
  [{ is: { amount: 5, gone: null } }, true],
  [{ is: { amount: 5, name: 'Bob' } }, false],
  [{ isNot: { name: 'Bob' } }, true],
  [{ below: { amount: 6 }, above: { amount: 4 } }, true],
  [{ below: { amount: 5 } }, false],
  [{ atMost: { amount: 5 }, atLeast: { amount: 5 } }, true],
  [{ below: { amount: new Attribute('limit') } }, false],
  [{ atMost: { amount: new Attribute('limit') } }, true],
  [{ atMost: { missing: 5 } }, false],
  [{ absent: ['missing'], present: ['name'] }, true],
  [{ absent: ['name'] }, false],
  [{ any: [{ is: { amount: 1 } }, { is: { name: 'Ann' } }] }, true],
  [{ any: [{ is: { amount: 1 } }, { is: { name: 'Bob' } }], present: ['pk'] }, false],
  [{ all: [{ any: [{ absent: ['pk'] }, { is: { amount: 5 } }] }, {}], is: { name: 'Ann' } }, true],
])('a write of an item that must be %j is done: %s', async (condition, isDone) => {
  const written = await writeIf({ key, add: { amount: 2 }, set: { name: 'Cid' }, remove: ['gone'], if: condition });
  const after = { ...key, amount: 7, limit: 5, name: 'Cid' };
  expect(written).toEqual(isDone ? { item: after } : { refused: { ...key, ...row } });
  expect(await readRow(key)).toEqual(isDone ? after : { ...key, ...row });
});

test('a removal tells what refused it', async () => {
  expect(await writeIf({ key, item: null, if: { is: { name: 'Bob' } } })).toEqual({ refused: { ...key, ...row } });
  expect(await writeIf({ key, item: null, if: { is: { name: 'Ann' } } })).toEqual({ item: key });
  expect(await writeIf({ key, set: { name: 'Bob' }, if: { present: ['pk'] } })).toEqual({ refused: undefined });
});

test('a row is in the hands of one at a time, of another when its time is over', async () => {
  const held = leases({ owner: 'owner', until: 'until', at: (epochMs) => epochMs });
  const acquire = (nowMs: number) =>
    held.acquire(nowMs + 10, (holder) => ({ key, set: holder, if: held.whereFree(nowMs) }));
  const first = await acquire(100);
  const second = await acquire(109);
  expect([first.item?.['until'], second.item]).toEqual([110, undefined]);
  expect(held.isHeldBy(second.refused, first.item ?? {})).toBe(true);
  expect([held.isFree(second.refused ?? {}, 109), held.isFree(second.refused ?? {}, 110)]).toEqual([false, true]);
  const third = await acquire(110);
  expect(third.item?.['until']).toBe(120);
  expect(held.isHeldBy(third.item, first.item ?? {})).toBe(false);
  await writeIf({ key, set: { until: null } });
  expect((await acquire(1)).item?.['until']).toBe(11);
});

test('only the table builds commands of DynamoDB', () => {
  const files = globSync('lib/**/*.ts').filter((file) =>
    /aws-sdk\/(client|lib)-dynamodb/.test(readFileSync(file, 'utf8')),
  );
  expect(files.filter((file) => !file.startsWith('lib/table/'))).toEqual([]);
});
