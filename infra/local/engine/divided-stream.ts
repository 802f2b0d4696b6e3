import { Positions } from './positions.ts';
import { type Divided, hasKeyOf, type Shard, shardsOf } from './shards.ts';
import { type DescribedShard, maxRecordsPerRead, type StreamClient, type StreamRecord } from './stream-client.ts';

export interface Division extends Divided {
  /** The attribute by whose value items are divided. */
  partitionKey: string;
  /** A day, but for tests. */
  retentionSeconds?: number;
}

/** Where a shard is read on: behind a record of the whole stream, to which the engine's iterator leads. */
interface Place {
  shardId: string;
  after: number;
  engineIterator: string;
}

const daySeconds = 86_400;
const maxReadBytes = 1_048_576;
const maxDescribed = 100;

/** Shows the one shard that the engine has of a stream as DynamoDB would: in several, which are closed and go on in others. */
export function dividedStream(client: StreamClient, division: Division): StreamClient {
  const { streamArn, partitionKey, retentionSeconds = daySeconds } = division;
  const positions = new Positions(client, streamArn);
  /** Records up to here are past their time. */
  let horizon = 0;
  /** The last record. */
  let tail = 0;
  let shards = new Map<string, Shard>();

  async function look(): Promise<void> {
    const oldest = Date.now() / 1000 - retentionSeconds;
    const isPast = ({ dynamodb }: StreamRecord) => (dynamodb.ApproximateCreationDateTime ?? 0) < oldest;
    horizon = Math.max(horizon, await positions.seek(horizon, isPast));
    tail = Math.max(tail, await positions.seek(Math.max(tail, horizon), () => true));
    shards = new Map(shardsOf(division, horizon, tail).map((shard) => [shard.id, shard]));
  }

  async function shardOf(id: string): Promise<Shard> {
    if (!shards.has(id)) await look();
    const shard = shards.get(id);
    if (!shard) throw new Error(`ResourceNotFoundException: there is no shard ${id}`);
    return shard;
  }

  function requireKept(after: number): void {
    if (after < horizon) throw new Error(`TrimmedDataAccessException: what follows ${after} is past its time`);
  }

  const describe: StreamClient['describe'] = async ({ StreamArn, ExclusiveStartShardId }) => {
    const [said] = await Promise.all([client.describe({ StreamArn }), look()]);
    const all = [...shards.values()];
    const begin = all.findIndex(({ id }) => id === ExclusiveStartShardId) + 1;
    const page = all.slice(begin, begin + maxDescribed);
    const last = begin + page.length < all.length ? page.at(-1) : undefined;
    const StreamDescription = {
      ...said.StreamDescription,
      Shards: page.map((shard) => described(shard, tail)),
      ...(last && { LastEvaluatedShardId: last.id }),
    };
    return { StreamDescription };
  };

  const iterator: StreamClient['iterator'] = async ({ ShardId, ShardIteratorType, SequenceNumber }) => {
    const { first } = await shardOf(ShardId);
    const after = ShardIteratorType === 'TRIM_HORIZON' ? Math.max(first - 1, horizon) : Number(SequenceNumber);
    if (!Number.isSafeInteger(after)) throw new Error(`ValidationException: ${ShardIteratorType} ${SequenceNumber}`);
    requireKept(after);
    return { ShardIterator: written({ shardId: ShardId, after, engineIterator: await positions.iterator(after) }) };
  };

  const read: StreamClient['read'] = async ({ ShardIterator, Limit = maxRecordsPerRead }, signal) => {
    let { shardId, after, engineIterator } = placeOf(ShardIterator);
    requireKept(after);
    const shard = await shardOf(shardId);
    const Records: StreamRecord[] = [];
    let bytes = 0;
    /** Returns whether there was room for all of the shard's. */
    const take = (records: readonly StreamRecord[]): boolean => {
      for (const record of records) {
        const number = Number(record.dynamodb.SequenceNumber);
        if (number > shard.last) return true;
        if (number > after && hasKeyOf(shard, record, partitionKey)) {
          bytes += record.dynamodb.SizeBytes ?? 0;
          if (Records.length === Limit || (Records.length > 0 && bytes > maxReadBytes)) return false;
          Records.push(record);
        }
        after = Math.max(after, number);
      }
      return true;
    };
    while (Records.length === 0 && after < shard.last) {
      const asked = { ShardIterator: engineIterator, Limit: maxRecordsPerRead };
      const { Records: records, NextShardIterator } = await client.read(asked, signal);
      if (records.length === 0 || !take(records) || NextShardIterator === undefined) break;
      engineIterator = NextShardIterator;
    }
    const isAtEnd = after >= shard.last;
    return { Records, ...(!isAtEnd && { NextShardIterator: written({ shardId, after, engineIterator }) }) };
  };

  return { describe, iterator, read };
}

/** One that is closed has an end. */
const described = ({ id, parentId, first, last }: Shard, tail: number): DescribedShard => ({
  ShardId: id,
  ...(parentId !== undefined && { ParentShardId: parentId }),
  SequenceNumberRange: {
    StartingSequenceNumber: String(first),
    ...(last <= tail && { EndingSequenceNumber: String(last) }),
  },
});

const written = (place: Place) => Buffer.from(JSON.stringify(place)).toString('base64');
const placeOf = (iterator: string) => JSON.parse(Buffer.from(iterator, 'base64').toString()) as Place;
