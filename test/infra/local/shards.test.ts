import { CreateTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dividedStream } from '#infra/local/engine/divided-stream.ts';
import { openStreams, type StreamClient, type StreamRecord } from '#infra/local/engine/stream-client.ts';
import { type Engine, startEngine } from '#infra/local/engine.ts';
import { eventually } from '#test/client.ts';
import { temporaryFolder } from '#test/infra/local/cloud-assembly.ts';

interface Shard {
  ShardId: string;
  ParentShardId?: string;
  SequenceNumberRange: { StartingSequenceNumber: string; EndingSequenceNumber?: string };
}

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

async function shardsOf(client: StreamClient, input: object): Promise<Shard[]> {
  const shards: Shard[] = [];
  for (let start = {}; ; ) {
    const { StreamDescription } = (await client('DescribeStream', { ...input, ...start })) as {
      StreamDescription: { Shards: Shard[]; LastEvaluatedShardId?: string };
    };
    shards.push(...StreamDescription.Shards);
    if (StreamDescription.LastEvaluatedShardId === undefined) return shards;
    start = { ExclusiveStartShardId: StreamDescription.LastEvaluatedShardId };
  }
}

const iteratorOf = async (client: StreamClient, input: object) =>
  ((await client('GetShardIterator', input)) as { ShardIterator: string }).ShardIterator;
const read = async (client: StreamClient, ShardIterator: string, Limit?: number) =>
  (await client('GetRecords', { ShardIterator, ...(Limit && { Limit }) })) as {
    Records: StreamRecord[];
    NextShardIterator?: string;
  };

/** Until its end, or until there is no more. */
async function readShard(client: StreamClient, streamArn: string, { ShardId }: Shard, Limit?: number) {
  const records: StreamRecord[] = [];
  let next: string | undefined = await iteratorOf(client, {
    StreamArn: streamArn,
    ShardId,
    ShardIteratorType: 'TRIM_HORIZON',
  });
  while (next !== undefined) {
    const { Records, NextShardIterator } = await read(client, next, Limit);
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
  const before = await shardsOf(client, { StreamArn: streamArn });
  expect(before.map(({ ParentShardId }) => ParentShardId)).toEqual([undefined, undefined, undefined, undefined]);
  expect(before.map(({ SequenceNumberRange }) => SequenceNumberRange)).toEqual(
    before.map(() => ({ StartingSequenceNumber: '1' })),
  );
  for (const { ShardId } of before) expect(ShardId).toMatch(/^shardId-\d{20}-[0-9a-f]{8}$/);
  // The first of four is closed, the others are not yet.
  await put(shardRecords);
  const after = await shardsOf(client, { StreamArn: streamArn });
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
  const shards = await shardsOf(client, { StreamArn: streamArn, Limit: 7 });
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

test('an iterator begins at a record, behind it, at the oldest or at the newest', async () => {
  const { client, streamArn, put } = await newStream();
  await put(20);
  const [shard] = (await shardsOf(client, { StreamArn: streamArn })) as [Shard];
  const { records } = await readShard(client, streamArn, shard);
  const [, second, third] = numbersOf(records);
  const at = async (ShardIteratorType: string, number?: number) => {
    const SequenceNumber = number === undefined ? {} : { SequenceNumber: String(number) };
    const asked = { StreamArn: streamArn, ShardId: shard.ShardId, ShardIteratorType, ...SequenceNumber };
    return iteratorOf(client, asked);
  };
  const firstBy = async (iterator: string) => numbersOf((await read(client, iterator, 1)).Records)[0];
  expect(await firstBy(await at('AT_SEQUENCE_NUMBER', second))).toBe(second);
  expect(await firstBy(await at('AFTER_SEQUENCE_NUMBER', second))).toBe(third);
  const latest = await at('LATEST');
  expect(await firstBy(latest)).toBeUndefined();
  await put(19);
  expect(await firstBy(latest)).toBeGreaterThan(20);
  await expect(at('SOMEWHERE')).rejects.toThrow('ValidationException');
  await expect(
    iteratorOf(client, { StreamArn: streamArn, ShardId: 'shardId-none', ShardIteratorType: 'LATEST' }),
  ).rejects.toThrow('ResourceNotFoundException');
});

test('a read has at most a megabyte', async () => {
  const { client, streamArn, put } = await newStream();
  await put(36, 'x'.repeat(300_000));
  for (const shard of await shardsOf(client, { StreamArn: streamArn })) {
    const ShardIterator = await iteratorOf(client, {
      StreamArn: streamArn,
      ShardId: shard.ShardId,
      ShardIteratorType: 'TRIM_HORIZON',
    });
    const { Records } = await read(client, ShardIterator);
    expect(Records.length).toBeGreaterThan(0);
    expect(Records.length).toBeLessThanOrEqual(3);
  }
});

test('records past their time are gone, and shards that had no others', async () => {
  const { client, streamArn, put } = await newStream(2);
  await put(2 * shardRecords);
  const before = await shardsOf(client, { StreamArn: streamArn });
  const open = before.filter(({ SequenceNumberRange }) => SequenceNumberRange.EndingSequenceNumber === undefined);
  const asked = { StreamArn: streamArn, ShardId: open[0]?.ShardId };
  const early = await iteratorOf(client, { ...asked, ShardIteratorType: 'TRIM_HORIZON' });
  await eventually(
    async () => (await shardsOf(client, { StreamArn: streamArn })).length === open.length,
    'the end',
    20_000,
  );
  await expect(read(client, early)).rejects.toThrow('TrimmedDataAccessException');
  const behind = { ...asked, ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: '1' };
  await expect(iteratorOf(client, behind)).rejects.toThrow('TrimmedDataAccessException');
  await put(20);
  const left = await shardsOf(client, { StreamArn: streamArn });
  const kept = await Promise.all(left.map((shard) => readShard(client, streamArn, shard)));
  const numbers = kept.flatMap(({ records }) => numbersOf(records)).sort((a, b) => a - b);
  expect(numbers).toEqual(Array.from({ length: 20 }, (_, index) => 2 * shardRecords + 1 + index));
});
