import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { archived, restored } from '#lib/archive/archive.ts';
import { Together } from '#lib/archive/excess.ts';
import type { Row } from '#lib/table/rows.ts';

/** A workspace as an earlier release has left it: test/table/recorded.test.ts. */
const recorded = gunzipSync(readFileSync('test/table/recorded.jsonl.gz'))
  .toString()
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row);

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
  for (const row of kept) {
    const [written] = restored(id, id, row);
    expect(written, `${row.pk} ${row.sk}`).toMatchObject({ ...row, pk: `${id}${row.pk}` });
  }
});
