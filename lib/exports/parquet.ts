import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import * as forms from '#lib/search/forms.ts';
import type { CellKind } from '#lib/sheets/cells.ts';
import type { Column, Shown } from '#lib/sheets/columns.ts';

/** How the values of a column lie in the file, by their kind. */
const formOf: Readonly<Record<CellKind, forms.Form>> = {
  text: forms.text,
  json: forms.json,
  integer: forms.long,
  number: forms.double,
  boolean: forms.boolean,
  time: forms.time,
  date: forms.date,
  money: forms.money,
  texts: forms.listOf(forms.text),
  integers: forms.listOf(forms.long),
};

const written = (kind: CellKind, value: unknown): unknown =>
  value === null || value === undefined ? null : formOf[kind].write(value as never);

const rowsPerGroup = 20_000;
/** A group is held in memory: of large records it has fewer rows. */
const bytesPerGroup = 48_000_000;

/** Returns the bytes of a Parquet file of records, with a type for each column. */
export async function* parquetOf(columns: readonly Column[], pages: AsyncIterable<readonly Shown[]>) {
  const buffer = new ByteWriter();
  const writer = new ParquetWriter({
    writer: buffer,
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.flatMap(({ name, kind }) => formOf[kind].elements(name)),
    ],
    createdBy: 'crm-api',
  });
  const take = (): Uint8Array => {
    const bytes = Uint8Array.from(new Uint8Array(buffer.buffer, 0, buffer.index));
    buffer.index = 0;
    return bytes;
  };
  let group: Shown[] = [];
  let groupBytes = 0;
  const endGroup = async () => {
    const columnData = columns.map(({ name, kind, of }) => ({
      name,
      data: group.map((record) => written(kind, of(record))),
    }));
    await writer.write({ columnData, rowGroupSize: rowsPerGroup });
    group = [];
    groupBytes = 0;
    return take();
  };
  for await (const records of pages) {
    for (const record of records) {
      group.push(record);
      groupBytes += JSON.stringify(record).length;
      if (group.length === rowsPerGroup || groupBytes > bytesPerGroup) yield await endGroup();
    }
  }
  if (group.length > 0) yield await endGroup();
  await writer.finish();
  yield take();
}
