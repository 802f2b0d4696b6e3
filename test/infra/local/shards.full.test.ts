import { CreateTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dividedStream } from '#infra/local/engine/divided-stream.ts';
import {
  type DescribedShard,
  openStreams,
  type StreamClient,
  type StreamRecord,
} from '#infra/local/engine/stream-client.ts';
import { type Engine, startEngine } from '#infra/local/engine.ts';
import { eventually } from '#test/client.ts';
import { temporaryFolder } from '#test/infra/local/cloud-assembly.ts';

const region = 'eu-west-1';
const shardRecords = 40;
const folder = temporaryFolder();
let engine: Engine;
let dynamodb: DynamoDBClient;
let streams: ReturnType<typeof openStreams>;
let count = 0;

beforeAll(async () => {
  engine = await startEngine({
    host: '127.0.0.1',
    port: 0,
    accessKeyId: 'any',
    endpoint: undefined,
    folder: `${folder.path}/engine`,
    onGivenUp: (error) => {
      throw error;
    },
  });
  const credentials = { accessKeyId: 'any', secretAccessKey: 'any' };
  dynamodb = new DynamoDBClient({ endpoint: engine.url, region, credentials });
  streams = openStreams({ endpoint: engine.url, region, credentials });
});
afterAll(async () => {
  dynamodb.destroy();
  await Promise.all([streams.close(), engine.stop()]);
  folder.remove();
});

async function newStream(retentionSeconds?: number) {
  const TableName = `shards-${++count}`;
  const { TableDescription } = await dynamodb.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: 'owner', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      AttributeDefinitions: [
        { AttributeName: 'owner', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
    }),
  );
  const streamArn = String(TableDescription?.LatestStreamArn);
  let last = 0;
  /** Of twenty owners, in turn. */
  const put = async (times: number, text = '') => {
    for (let index = 0; index < times; index += 1) {
      last += 1;
      const Item = { owner: { S: `owner ${last % 20}` }, sk: { S: String(last) }, text: { S: text } };
      await dynamodb.send(new PutItemCommand({ TableName, Item }));
    }
  };
  const open = () =>
    dividedStream(streams, {
      streamArn,
      shardRecords,
      partitionKey: 'owner',
      ...(retentionSeconds !== undefined && { retentionSeconds }),
    });
  return { client: open(), open, streamArn, put };
}

async function shardsOf(client: StreamClient, StreamArn: string): Promise<DescribedShard[]> {
  const shards: DescribedShard[] = [];
  for (let start = {}; ; ) {
    const { StreamDescription } = await client.describe({ StreamArn, ...start });
    shards.push(...StreamDescription.Shards);
    if (StreamDescription.LastEvaluatedShardId === undefined) return shards;
    start = { ExclusiveStartShardId: StreamDescription.LastEvaluatedShardId };
  }
}

const oldestOf = async (client: StreamClient, StreamArn: string, ShardId: string) =>
  (await client.iterator({ StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' })).ShardIterator;

/** Until its end, or until there is no more. */
async function readShard(client: StreamClient, streamArn: string, { ShardId }: DescribedShard, Limit = 1000) {
  const records: StreamRecord[] = [];
  let next: string | undefined = await oldestOf(client, streamArn, ShardId);
  while (next !== undefined) {
    const { Records, NextShardIterator } = await client.read({ ShardIterator: next, Limit });
    records.push(...Records);
    next = NextShardIterator;
    if (Records.length === 0) break;
  }
  return { records, isAtEnd: next === undefined };
}

const numbersOf = (records: readonly StreamRecord[]) => records.map(({ dynamodb }) => Number(dynamodb.SequenceNumber));
const ownerOf = ({ dynamodb }: StreamRecord) => String(dynamodb.Keys?.['owner']?.S);

test('a new stream has open shards without parents; one that is closed has an end and goes on in two', async () => {
  const { client, streamArn, put } = await newStream();
  const before = await shardsOf(client, streamArn);
  expect(before.map(({ ParentShardId }) => ParentShardId)).toEqual([undefined, undefined, undefined, undefined]);
  expect(before.map(({ SequenceNumberRange }) => SequenceNumberRange)).toEqual(
    before.map(() => ({ StartingSequenceNumber: '1' })),
  );
  for (const { ShardId } of before) expect(ShardId).toMatch(/^shardId-\d{20}-[0-9a-f]{8}$/);
  // The first of four is closed, the others are not yet.
  await put(shardRecords);
  const after = await shardsOf(client, streamArn);
  expect(after.slice(0, 4).map(({ ShardId }) => ShardId)).toEqual(before.map(({ ShardId }) => ShardId));
  expect(after.slice(0, 4).map(({ SequenceNumberRange }) => SequenceNumberRange.EndingSequenceNumber)).toEqual([
    String(shardRecords),
    undefined,
    undefined,
    undefined,
  ]);
  expect(after.slice(4)).toMatchObject(
    [0, 1].map(() => ({
      ParentShardId: before[0]?.ShardId,
      SequenceNumberRange: { StartingSequenceNumber: String(shardRecords + 1) },
    })),
  );
});

test('every record is in one shard, those of one key in their order from parent to child, however far it is read at once', async () => {
  const { client, open, streamArn, put } = await newStream();
  await put(5 * shardRecords);
  const shards = await shardsOf(client, streamArn);
  const parents = new Map(shards.map(({ ShardId, ParentShardId }) => [ShardId, ParentShardId]));
  const depth = (id: string | undefined): number => (id === undefined ? 0 : 1 + depth(parents.get(id)));
  expect(Math.max(...shards.map(({ ShardId }) => depth(ShardId)))).toBeGreaterThanOrEqual(4);
  const whole: StreamRecord[] = [];
  const places = new Map<string, string[]>();
  for (const shard of shards) {
    const { records, isAtEnd } = await readShard(client, streamArn, shard);
    // Another reader, who begins now, finds the same.
    const again = await readShard(open(), streamArn, shard, 3);
    expect(numbersOf(again.records)).toEqual(numbersOf(records));
    const { StartingSequenceNumber, EndingSequenceNumber } = shard.SequenceNumberRange;
    expect(isAtEnd).toBe(EndingSequenceNumber !== undefined);
    for (const number of numbersOf(records)) {
      expect(number).toBeGreaterThanOrEqual(Number(StartingSequenceNumber));
      expect(number).toBeLessThanOrEqual(Number(EndingSequenceNumber ?? Number.POSITIVE_INFINITY));
    }
    for (const owner of new Set(records.map(ownerOf))) places.set(owner, [...(places.get(owner) ?? []), shard.ShardId]);
    whole.push(...records);
  }
  expect(numbersOf(whole).sort((a, b) => a - b)).toEqual(whole.map((_, index) => index + 1));
  expect(whole).toHaveLength(5 * shardRecords);
  // The shards that a key has been in follow from each other.
  for (const ids of places.values())
    for (const [index, id] of ids.entries()) if (index > 0) expect(parents.get(id)).toBe(ids[index - 1]);
  for (const own of Map.groupBy(whole, ownerOf).values())
    expect(numbersOf(own)).toEqual(numbersOf(own).sort((a, b) => a - b));
});

test('an iterator begins at the oldest record or behind one', async () => {
  const { client, streamArn, put } = await newStream();
  await put(20);
  const [shard] = (await shardsOf(client, streamArn)) as [DescribedShard];
  const { records } = await readShard(client, streamArn, shard);
  const [first, second, third] = numbersOf(records);
  const firstBy = async (ShardIterator: string) =>
    numbersOf((await client.read({ ShardIterator, Limit: 1 })).Records)[0];
  const behind = (SequenceNumber: string, ShardId = shard.ShardId) =>
    client.iterator({ StreamArn: streamArn, ShardId, ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber });
  expect(await firstBy(await oldestOf(client, streamArn, shard.ShardId))).toBe(first);
  expect(await firstBy((await behind(String(second))).ShardIterator)).toBe(third);
  await expect(behind('nowhere')).rejects.toThrow('ValidationException');
  await expect(behind('1', 'shardId-none')).rejects.toThrow('ResourceNotFoundException');
});

test('a read has at most a megabyte', async () => {
  const { client, streamArn, put } = await newStream();
  await put(36, 'x'.repeat(300_000));
  for (const shard of await shardsOf(client, streamArn)) {
    const { Records } = await client.read({ ShardIterator: await oldestOf(client, streamArn, shard.ShardId) });
    expect(Records.length).toBeGreaterThan(0);
    expect(Records.length).toBeLessThanOrEqual(3);
  }
});

test('records past their time are gone, and shards that had no others', async () => {
  const { client, streamArn, put } = await newStream(2);
  await put(2 * shardRecords);
  const before = await shardsOf(client, streamArn);
  const open = before.filter(({ SequenceNumberRange }) => SequenceNumberRange.EndingSequenceNumber === undefined);
  const ShardId = String(open[0]?.ShardId);
  const early = await oldestOf(client, streamArn, ShardId);
  await eventually(async () => (await shardsOf(client, streamArn)).length === open.length, 'the end', 20_000);
  await expect(client.read({ ShardIterator: early })).rejects.toThrow('TrimmedDataAccessException');
  const behind = { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: '1' } as const;
  await expect(client.iterator({ StreamArn: streamArn, ShardId, ...behind })).rejects.toThrow(
    'TrimmedDataAccessException',
  );
  await put(20);
  const left = await shardsOf(client, streamArn);
  const kept = await Promise.all(left.map((shard) => readShard(client, streamArn, shard)));
  const numbers = kept.flatMap(({ records }) => numbersOf(records)).sort((a, b) => a - b);
  expect(numbers).toEqual(Array.from({ length: 20 }, (_, index) => 2 * shardRecords + 1 + index));
});
