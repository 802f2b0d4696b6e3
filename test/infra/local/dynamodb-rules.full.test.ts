import { randomUUID } from 'node:crypto';
import { DynamoDB, type TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { env } from '#lib/core/env.ts';

/** What the local engine refuses as DynamoDB does, asked past our own code, which never gets so far. */
let dynamodb: DynamoDB;
let TableName: string;
beforeAll(() => {
  TableName = env('TABLE_NAME');
  dynamodb = new DynamoDB({ maxAttempts: 1 });
});

/** Keys that no reader of the table looks at. */
const keyOf = (sk: string, pk = `rules-${randomUUID()}`) => ({ pk: { S: pk }, sk: { S: sk } });
const invalid = { name: 'ValidationException' };
const put = (item: object) => dynamodb.putItem({ TableName, Item: { ...keyOf('1'), ...item } as never });

test('an item has at most 400 KB, names of attributes included', async () => {
  const key = keyOf('1');
  const keyBytes = 'pk'.length + key.pk.S.length + 'sk'.length + 1;
  const filled = (bytes: number) => put({ ...key, a: { S: 'x'.repeat(bytes - keyBytes - 1) } });
  await expect(filled(409_601)).rejects.toMatchObject(invalid);
  await filled(409_600);
  await dynamodb.deleteItem({ TableName, Key: key });
});

test.each([
  ['a partition key of more than 2,048 bytes', { pk: { S: 'x'.repeat(2049) } }],
  ['a sort key of more than 1,024 bytes', { sk: { S: 'x'.repeat(1025) } }],
  ['an empty key', { sk: { S: '' } }],
])('%s is refused', async (_case, key) => {
  await expect(put(key)).rejects.toMatchObject(invalid);
});

describe('a transaction', () => {
  const writes = (count: number, item: object = {}): TransactWriteItem[] =>
    Array.from({ length: count }, (_, index) => ({
      Put: { TableName, Item: { ...keyOf(String(index)), ...item } as never, ConditionExpression: 'pk = pk' },
    }));
  const write = (TransactItems: TransactWriteItem[]) => dynamodb.transactWriteItems({ TransactItems });

  test('has at most 100 actions', async () => {
    await expect(write(writes(101))).rejects.toMatchObject(invalid);
    // Taken, and then canceled by its conditions.
    await expect(write(writes(100))).rejects.toMatchObject({ name: 'TransactionCanceledException' });
  });

  test('has at most 4 MB', async () => {
    await expect(write(writes(12, { a: { S: 'x'.repeat(400_000) } }))).rejects.toMatchObject(invalid);
  });

  test('does not name an item twice', async () => {
    const [one] = writes(1) as [TransactWriteItem];
    await expect(write([one, one])).rejects.toMatchObject(invalid);
  });
});

test('a batch writes at most 25 items and reads at most 100', async () => {
  const keys = Array.from({ length: 101 }, (_, index) => keyOf(String(index)));
  const requests = keys.slice(0, 26).map((Key) => ({ DeleteRequest: { Key } }));
  await expect(dynamodb.batchWriteItem({ RequestItems: { [TableName]: requests } })).rejects.toMatchObject(invalid);
  await expect(dynamodb.batchGetItem({ RequestItems: { [TableName]: { Keys: keys } } })).rejects.toMatchObject(invalid);
});

test('a page of a query ends with a megabyte', async () => {
  const pk = `rules-${randomUUID()}`;
  const keys = ['1', '2', '3', '4'].map((sk) => keyOf(sk, pk));
  for (const key of keys) await put({ ...key, a: { S: 'x'.repeat(390_000) } });
  const page = await dynamodb.query({
    TableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': { S: pk } },
  });
  for (const Key of keys) await dynamodb.deleteItem({ TableName, Key });
  expect(page.LastEvaluatedKey).toBeDefined();
  expect(page.Items?.length).toBeLessThan(4);
});
