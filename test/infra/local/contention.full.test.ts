import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDB, type TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { Contention, type TableLimits } from '#infra/local/contention.ts';
import { type Engine, startEngine } from '#infra/local/engine.ts';
import { temporaryFolder } from '#test/infra/local/cloud-assembly.ts';

const folder = temporaryFolder();
const TableName = 'contended';
const transactionMs = 300;
const on = { TableName };
let engine: Engine | undefined;
let dynamodb: DynamoDB;
let count = 0;

async function startTable(limits: Partial<TableLimits>): Promise<void> {
  const onGivenUp = (error: Error) => {
    throw error;
  };
  const place = { host: '127.0.0.1', port: 0, accessKeyId: 'any', endpoint: undefined, onGivenUp };
  engine = await startEngine({ ...place, folder: `${folder.path}/${++count}`, contention: new Contention(limits) });
  const credentials = { accessKeyId: 'any', secretAccessKey: 'any' };
  dynamodb = new DynamoDB({ endpoint: engine.url, region: 'us-east-1', credentials, maxAttempts: 1 });
  await dynamodb.createTable({
    ...on,
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    BillingMode: 'PAY_PER_REQUEST',
  });
}

afterEach(async () => {
  dynamodb?.destroy();
  await engine?.stop();
  engine = undefined;
});
afterAll(folder.remove);

const keyOf = (sk: string, pk = 'p') => ({ pk: { S: pk }, sk: { S: sk } });
const put = (sk: string, { pk, bytes = 1 }: { pk?: string; bytes?: number } = {}) =>
  dynamodb.putItem({ ...on, Item: { ...keyOf(sk, pk), a: { S: 'x'.repeat(bytes) } } });
const get = (sk: string, pk?: string) => dynamodb.getItem({ ...on, Key: keyOf(sk, pk), ConsistentRead: true });
const Put = (sk: string, pk?: string): TransactWriteItem => ({ Put: { ...on, Item: keyOf(sk, pk) } });
const transact = (TransactItems: TransactWriteItem[], ClientRequestToken?: string) =>
  dynamodb.transactWriteItems({ TransactItems, ...(ClientRequestToken && { ClientRequestToken }) });
const batchPut = (...items: ReturnType<typeof keyOf>[]) =>
  dynamodb.batchWriteItem({ RequestItems: { [TableName]: items.map((Item) => ({ PutRequest: { Item } })) } });

describe('while a transaction has an item in hand', () => {
  /** Runs `work` in the middle of a transaction of these items. */
  async function during(items: TransactWriteItem[], work: () => Promise<void>, token?: string) {
    await startTable({ transactionMs });
    const transaction = transact(items, token);
    await sleep(transactionMs / 3);
    await work();
    await transaction;
  }

  test('a single write of it is refused, others and reads are not, and it is written afterwards', async () => {
    await during([Put('1'), Put('2')], async () => {
      const conflict = { name: 'TransactionConflictException', $metadata: { httpStatusCode: 400 } };
      await expect(put('1')).rejects.toMatchObject(conflict);
      await expect(dynamodb.deleteItem({ ...on, Key: keyOf('2') })).rejects.toMatchObject(conflict);
      const UpdateExpression = 'ADD n :n';
      const update = { ...on, Key: keyOf('2'), UpdateExpression, ExpressionAttributeValues: { ':n': { N: '1' } } };
      await expect(dynamodb.updateItem(update)).rejects.toMatchObject(conflict);
      await put('3');
      await put('1', { pk: 'other' });
      expect((await get('1')).Item).toBeUndefined();
    });
    expect((await get('1')).Item).toEqual(keyOf('1'));
    await put('1');
  });

  test('another transaction is canceled because of it, and a batch leaves what it has', async () => {
    await during(
      [Put('1'), { ConditionCheck: { ...on, Key: keyOf('2'), ConditionExpression: 'attribute_not_exists(pk)' } }],
      async () => {
        await expect(transact([Put('9'), Put('2'), Put('1')])).rejects.toMatchObject({
          name: 'TransactionCanceledException',
          CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict' }, { Code: 'TransactionConflict' }],
        });
        expect((await get('9')).Item).toBeUndefined();
        const { UnprocessedItems } = await batchPut(keyOf('1'), keyOf('8'));
        expect(UnprocessedItems?.[TableName]).toHaveLength(2);
        expect((await batchPut(keyOf('8'))).UnprocessedItems).toEqual({});
      },
    );
    await transact([Put('1'), Put('2')]);
  });

  test('the same transaction, sent again, goes on', async () => {
    await during(
      [Put('1')],
      async () => {
        await expect(transact([Put('1')], 'token')).rejects.toMatchObject({ name: 'TransactionInProgressException' });
      },
      'token',
    );
    await transact([Put('1')], 'token');
  });

  test('a reading transaction is canceled because of it', async () => {
    await during([Put('1')], async () => {
      const read = (...sks: string[]) =>
        dynamodb.transactGetItems({ TransactItems: sks.map((sk) => ({ Get: { ...on, Key: keyOf(sk) } })) });
      await expect(read('2', '1')).rejects.toMatchObject({
        name: 'TransactionCanceledException',
        CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict' }],
      });
      expect((await read('2')).Responses).toHaveLength(1);
    });
  });

  test('a caller that hangs up holds nothing', async () => {
    await startTable({ transactionMs: 60_000 });
    const hangUp = new AbortController();
    const lost = dynamodb.transactWriteItems({ TransactItems: [Put('1')] }, { abortSignal: hangUp.signal });
    lost.catch(() => {});
    await sleep(100);
    await expect(put('1')).rejects.toMatchObject({ name: 'TransactionConflictException' });
    hangUp.abort();
    await expect
      .poll(() =>
        put('1').then(
          () => 'written',
          ({ name }) => name,
        ),
      )
      .toBe('written');
  });
});

test('a body that is no object of JSON is refused, and the next is taken', async () => {
  await startTable({});
  const headers = {
    authorization: 'AWS4-HMAC-SHA256 Credential=any/20300101/us-east-1/dynamodb/aws4_request, Signature=0',
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': 'DynamoDB_20120810.PutItem',
  };
  for (const body of ['{"TableName":', '7', 'null', '']) {
    const answer = await fetch(String(engine?.url), { method: 'POST', headers, body });
    expect([answer.status, ((await answer.json()) as { __type: string }).__type.split('#')[1]], body).toEqual([
      400,
      'SerializationException',
    ]);
  }
  await put('1');
});

describe('a partition', () => {
  const throttled = (reason: string) => ({
    name: 'ThrottlingException',
    throttlingReasons: [{ reason }],
    $metadata: { httpStatusCode: 400 },
  });
  /** Writes as much as a second allows, and more. */
  const exhaust = () => put('large', { bytes: 30_000 });

  test('takes so many write units a second, and others and reads go on', async () => {
    await startTable({ writeUnits: 10 });
    for (const sk of ['1', '2', '3', '4', '5']) await put(sk);
    await exhaust();
    await expect(put('1')).rejects.toMatchObject(throttled('TableWriteKeyRangeThroughputExceeded'));
    expect((await get('large')).Item?.['a']?.S).toHaveLength(30_000);
    await put('1', { pk: 'other' });
    await expect
      .poll(
        () =>
          put('1').then(
            () => 'written',
            ({ name }) => name,
          ),
        { timeout: 10_000 },
      )
      .toBe('written');
  });

  test('that is spent cancels a transaction, and a batch leaves what is of it', async () => {
    await startTable({ writeUnits: 10 });
    await exhaust();
    await expect(transact([Put('1', 'other'), Put('1')])).rejects.toMatchObject({
      name: 'TransactionCanceledException',
      CancellationReasons: [{ Code: 'None' }, { Code: 'ThrottlingError' }],
    });
    const { UnprocessedItems } = await batchPut(keyOf('1'), keyOf('1', 'other'));
    expect(UnprocessedItems?.[TableName]).toHaveLength(2);
    await expect(batchPut(keyOf('1'), keyOf('2'))).rejects.toMatchObject({ name: 'ThrottlingException' });
  });

  test('takes so many read units a second, and writes go on', async () => {
    await startTable({ readUnits: 50 });
    await put('1', { bytes: 390_000 });
    const query = () =>
      dynamodb.query({
        ...on,
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': { S: 'p' } },
      });
    // 96 units, in many pieces.
    expect((await query()).Items?.[0]?.['a']?.S).toHaveLength(390_000);
    const refusal = throttled('TableReadKeyRangeThroughputExceeded');
    await expect(query()).rejects.toMatchObject(refusal);
    await expect(get('1')).rejects.toMatchObject(refusal);
    const Keys = [keyOf('1'), keyOf('1', 'other')];
    const { UnprocessedKeys } = await dynamodb.batchGetItem({ RequestItems: { [TableName]: { Keys } } });
    expect(UnprocessedKeys?.[TableName]?.Keys).toHaveLength(2);
    await put('2');
    expect((await get('1', 'other')).Item).toBeUndefined();
  });
});
