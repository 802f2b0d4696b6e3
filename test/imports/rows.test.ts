import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { type KnownForm, rowsOf, type SourceRow } from '#lib/imports/rows.ts';

const csv: KnownForm = { format: 'csv', encoding: 'utf-8', delimiter: ',' };

async function read(text: string | Buffer, form: Partial<KnownForm> = {}) {
  const bytes = Buffer.from(text as string);
  const chunks = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, at) =>
    bytes.subarray(at * 65_536, (at + 1) * 65_536),
  );
  const rows: SourceRow[] = [];
  let headers: readonly string[] = [];
  for await (const row of rowsOf(Readable.from(chunks), { ...csv, ...form }, (names) => (headers = names)))
    rows.push(row);
  return { headers, rows };
}

test.each([
  ['rows of empty cells', `${','.repeat(9)}\r\n`],
  ['empty lines', '\r\n'],
])('%s of more than a megabyte are passed over', async (_, blank) => {
  const names = Array.from({ length: 10 }, (_, at) => `h${at}`).join(',');
  const { rows } = await read(`${names}\r\na\r\n${blank.repeat(1_300_000 / blank.length)}b\r\n`);
  expect(rows.map(({ place, values }) => [place, values.get('h0')])).toEqual([
    [1, 'a'],
    [2, 'b'],
  ]);
});

test('a row has values of the cells that have something, whatever the number of headers', async () => {
  const { rows } = await read('a,b,c,d\n1,,3\n');
  expect([...(rows[0]?.values ?? [])]).toEqual([
    ['a', '1'],
    ['c', '3'],
  ]);
});

test('headers that are alike get numbers that no other header has', async () => {
  const { headers } = await read('a,a (2),a,,a,A,Column 4\n');
  expect(headers).toEqual(['a', 'a (2)', 'a (3)', 'Column 4', 'a (4)', 'A', 'Column 4 (2)']);
});

test('a row with half of a character of UTF-16 fails, and the rows around it are read', async () => {
  const bytes = Buffer.concat([
    Buffer.from('\ufeffName\nZoë 🍞\nA', 'utf16le'),
    Buffer.from([0x00, 0xd8, 0x00, 0xdc, 0x00, 0xdc]),
    Buffer.from('B\nAda\n', 'utf16le'),
  ]);
  const { rows } = await read(bytes, { encoding: 'utf-16' });
  expect(rows.map(({ values, error }) => [values.get('Name'), error !== null])).toEqual([
    ['Zoë 🍞', false],
    ['A\u{10000}\ufffdB', true],
    ['Ada', false],
  ]);
});

test('a megabyte of halves of characters is read in less than 1.5 seconds of a processor', async () => {
  const bytes = Buffer.concat([
    Buffer.from('\ufeffName\n', 'utf16le'),
    Buffer.alloc(1_000_000, Buffer.from([0, 0xd8])),
  ]);
  const { user } = process.cpuUsage();
  await read(bytes, { encoding: 'utf-16' });
  expect(process.cpuUsage().user - user).toBeLessThan(1_500_000);
});
