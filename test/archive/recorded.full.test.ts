import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { archived, restored } from '#lib/archive/archive.ts';
import { Counted } from '#lib/archive/counted.ts';
import { Together } from '#lib/archive/excess.ts';
import type { Row } from '#lib/table/rows.ts';

/** A workspace as an earlier release has left it: test/table/recorded.test.ts. */
const recorded = gunzipSync(readFileSync('test/table/recorded.jsonl.gz'))
  .toString()
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row);

/** A job may have been counted in by another row of its group than the one that counted it out. */
const sumsIn = (rows: readonly Row[]) => {
  const sums: Record<string, number> = {};
  for (const { pk, sk, ...counts } of rows)
    for (const [name, count] of Object.entries(counts)) {
      const at = `${pk} ${sk.replace(/#\d+$/, '')} ${name}`;
      sums[at] = (sums[at] ?? 0) + Number(count);
    }
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0));
};

test('what an earlier release has written is exported and taken in, with every field', () => {
  const { pk = '' } = recorded.find((row) => row.pk.endsWith('#workspace')) ?? {};
  const id = Number(pk.slice(0, pk.indexOf('#')));
  const kept = recorded
    .filter((row) => row.pk.startsWith(`${id}:`) || row.pk.startsWith(`${id}#`))
    .flatMap((row) => archived(id, row) ?? []);
  expect(kept.length).toBeGreaterThan(100);
  const together = new Together();
  expect(kept.flatMap((row, index) => together.add(row, index) ?? [])).toEqual([]);
  expect(together.lack()).toBeUndefined();
  const isCounter = ({ pk }: { pk: string }) => /#count\/(?!met|sent)/.test(pk);
  const counted = new Counted();
  for (const row of kept.filter((one) => !isCounter(one))) {
    const all = restored(id, id, row);
    expect(all[0], `${row.pk} ${row.sk}`).toMatchObject({ ...row, pk: `${id}${row.pk}` });
    for (const one of all) counted.add(id, one);
  }
  expect(sumsIn(counted.rows())).toEqual(
    sumsIn(kept.filter(isCounter).map((row) => ({ ...row, pk: `${id}${row.pk}` }))),
  );
});
