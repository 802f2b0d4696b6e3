import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { env } from '#lib/env.ts';
import { dynamodb } from '#lib/table/client.ts';
import { identity } from '#lib/table/keys.ts';
import { type Row, readRows, writeRows } from '#lib/table/rows.ts';
import { countSetAside, discard, listSetAside, putBack, setAside } from '#lib/table/set-aside.ts';
import { type Tenant, tenantKey } from '#lib/tenant.ts';
import { between } from '#test/between.ts';

const tenant: Tenant = { workspaceId: 2_000_000_007, env: 'live' };
const newRow = (): Row => ({ pk: `${tenantKey(tenant)}#trial/${randomUUID()}`, sk: '0000000001', text: 'as it was' });
const put = (...rows: Row[]) => writeRows(rows.map((Item) => ({ PutRequest: { Item } })));
const read = async (row: Row) => (await readRows([row])).get(identity(row));
const idOf = ({ pk, sk }: Row) => `${pk}/${sk}`;
const reason = new Error('a reason');

test('what is written into a row while it is set aside is kept', async () => {
  const row = newRow();
  await put(row);
  let isWritten = false;
  await between(
    async ({ operation }, next) => {
      if (operation === 'TransactWriteItems' && !isWritten) {
        isWritten = true;
        await dynamodb.send('UpdateItem', {
          TableName: env('TABLE_NAME'),
          Key: { pk: row.pk, sk: row.sk },
          UpdateExpression: 'SET published = :first',
          ExpressionAttributeValues: { ':first': 7 },
        });
      }
      return next();
    },
    () => setAside(row, 5, reason),
  );
  expect(await read(row)).toBeUndefined();
  expect(await putBack(idOf(row))).toBe(true);
  expect(await read(row)).toEqual({ ...row, published: 7 });
  await writeRows([{ DeleteRequest: { Key: { pk: row.pk, sk: row.sk } } }]);
});

test('a row is put back once, and not over another one in its place; discarded, nothing is left of it', async () => {
  const row = newRow();
  await put(row);
  await setAside(row, 5, reason);
  const head = (await listSetAside()).find(({ id }) => id === idOf(row));
  expect(head?.tenant).toBe('2000000007:live');
  const newer = { ...row, text: 'newer' };
  await put(newer);
  await expect(putBack(idOf(row))).rejects.toMatchObject({ status: 409, details: { reason: 'row_exists' } });
  expect(await read(row)).toEqual(newer);
  await writeRows([{ DeleteRequest: { Key: { pk: row.pk, sk: row.sk } } }]);
  const putting = () => putBack(idOf(row)).catch(() => false);
  const both = await Promise.all([putting(), putting()]);
  expect(both.filter((isBack) => isBack)).toHaveLength(1);
  expect(await read(row)).toEqual(row);
  await setAside(row, 5, reason);
  expect(await discard(idOf(row))).toBe(true);
  expect(await discard(idOf(row))).toBe(false);
  expect((await listSetAside()).some(({ id }) => id === idOf(row))).toBe(false);
  const piece = { pk: `SET-ASIDE#${idOf(row)}`, sk: '000' };
  expect((await readRows([row, piece])).size).toBe(0);
});

test('a row of which the note cannot be read is counted, shown and discarded, and holds up none of the others', async () => {
  const [row, other] = [newRow(), newRow()];
  await put(row, other);
  await setAside(row, 5, reason);
  await setAside(other, 5, reason);
  const before = await countSetAside();
  const head = { pk: 'SET-ASIDE', sk: idOf(row) };
  await dynamodb.send('UpdateItem', {
    TableName: env('TABLE_NAME'),
    Key: head,
    UpdateExpression: 'SET tries = :many REMOVE pieces, setAsideAt, reason',
    ExpressionAttributeValues: { ':many': 'many' },
  });
  expect(await countSetAside()).toBe(before);
  const shown = (await listSetAside()).filter(({ id }) => [row, other].map(idOf).includes(id));
  expect(shown).toHaveLength(2);
  expect(shown).toContainEqual({
    ...{ id: idOf(row), tenant: '2000000007:live', tries: null, setAsideAt: null },
    reason: expect.stringContaining('cannot be read'),
  });
  await expect(putBack(idOf(row))).rejects.toMatchObject({ status: 409, details: { reason: 'row_unreadable' } });
  expect(await putBack(idOf(other))).toBe(true);
  expect([await discard(idOf(row)), await discard(idOf(row))]).toEqual([true, false]);
  expect((await readRows([head, { pk: `SET-ASIDE#${idOf(row)}`, sk: '000' }])).size).toBe(0);
  await writeRows([{ DeleteRequest: { Key: { pk: other.pk, sk: other.sk } } }]);
});
