import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { CellKind } from '#lib/sheets/cells.ts';
import type { Column, Shown } from '#lib/sheets/columns.ts';

type Element = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];

const optional = { repetition_type: 'OPTIONAL' } as const;
const text = (name: string): Element => ({ name, ...optional, type: 'BYTE_ARRAY', converted_type: 'UTF8' });
const integer = (name: string): Element => ({ name, ...optional, type: 'INT64' });
const number = (name: string): Element => ({ name, ...optional, type: 'DOUBLE' });

const listOf =
  (element: (name: string) => Element) =>
  (name: string): Element[] => [
    { name, ...optional, converted_type: 'LIST', num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    element('element'),
  ];

/** The elements of the schema that a column takes, by its kind. */
const elements: Readonly<Record<CellKind, (name: string) => Element[]>> = {
  text: (name) => [text(name)],
  json: (name) => [{ ...text(name), converted_type: 'JSON' }],
  integer: (name) => [integer(name)],
  number: (name) => [number(name)],
  boolean: (name) => [{ name, ...optional, type: 'BOOLEAN' }],
  time: (name) => [{ name, ...optional, type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' }],
  date: (name) => [{ name, ...optional, type: 'INT32', converted_type: 'DATE' }],
  money: (name) => [{ name, ...optional, num_children: 2 }, number('amount'), text('currency')],
  texts: listOf(text),
  integers: listOf(integer),
};

const readers: Partial<Record<CellKind, (value: never) => unknown>> = {
  integer: (value: number) => BigInt(value),
  integers: (values: number[]) => values.map(BigInt),
  time: (value: string) => new Date(value),
  date: (value: string) => new Date(value),
};

/** Returns a value as the library takes it. */
const libraryValue = (kind: CellKind, value: unknown): unknown =>
  value === null || value === undefined ? null : (readers[kind]?.(value as never) ?? value);

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
      ...columns.flatMap(({ name, kind }) => elements[kind](name)),
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
      data: group.map((record) => libraryValue(kind, of(record))),
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
