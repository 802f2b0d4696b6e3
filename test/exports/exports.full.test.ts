import { parquetReadObjects } from 'hyparquet';
import { expect, test } from 'vitest';
import { newWorkspace } from '#test/workspace.ts';
import { exported, linesOf, rowsOf } from './exporting.ts';

const people = 1_200;
const atOnce = 50;

test('a file holds each record once while others are made and archived', { timeout: 180_000 }, async () => {
  const { live } = await newWorkspace();
  const make = async (name: string) => {
    const items = Array.from({ length: atOnce }, (_, index) => ({ op: 'create', name: `${name} ${index}` }));
    const { body } = await live.post('/v1/contacts/batch', { items }, 200);
    return body.results.map(({ contact }: { contact: { id: number } }) => contact.id) as number[];
  };
  const calm: number[] = [];
  for (let count = 0; count < people; count += atOnce) calm.push(...(await make('Calm')));
  let isOver = false;
  const others = (async () => {
    while (!isOver)
      for (const id of (await make('Busy')).slice(0, 5)) await live.post(`/v1/contacts/${id}/archive`, {}, 200);
  })();
  const files = await Promise.all(
    ['csv', 'ndjson', 'parquet'].map((format) => exported(live, { object: 'contacts', format })),
  );
  isOver = true;
  await others;
  const [csv, ndjson, parquet] = files.map(({ bytes }) => bytes) as [Buffer, Buffer, Buffer];
  const file = parquet.buffer.slice(parquet.byteOffset, parquet.byteOffset + parquet.length) as ArrayBuffer;
  for (const ids of [
    rowsOf(csv).map(({ id }) => Number(id)),
    linesOf(ndjson).map(({ id }) => Number(id)),
    (await parquetReadObjects({ file, columns: ['id'] })).map(({ id }) => Number(id)),
  ]) {
    expect(new Set(ids).size).toBe(ids.length);
    expect(calm.filter((id) => !ids.includes(id))).toEqual([]);
  }
});
