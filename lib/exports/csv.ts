import { writeCell } from '#lib/sheets/cells.ts';
import type { Column, Shown } from '#lib/sheets/columns.ts';
import { csvLines } from '#lib/sheets/csv.ts';

const byteOrderMark = '\uFEFF';

const lines = (rows: readonly string[][]) => Buffer.from(csvLines(rows));

/** Returns the bytes of a CSV file of records (RFC 4180), with a byte-order mark and a line of names. */
export async function* csvOf(columns: readonly Column[], pages: AsyncIterable<readonly Shown[]>) {
  yield Buffer.from(byteOrderMark);
  yield lines([columns.map(({ name }) => name)]);
  for await (const records of pages)
    if (records.length > 0)
      yield lines(records.map((record) => columns.map(({ kind, of }) => writeCell(kind, of(record)))));
}
