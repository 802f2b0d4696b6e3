import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  type _Record,
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import type { NextChange } from '../engine/changes.ts';
import type { Invoke } from '../functions.ts';
import type { StreamMapping } from '../template.ts';
import { deliver, type SendToQueue } from './batch.ts';
import type { Checkpoint } from './checkpoint.ts';
import { passes } from './filter.ts';
import { type StreamRecord, toLambdaRecord } from './stream-record.ts';

export interface StreamSource {
  client: DynamoDBStreamsClient;
  streamArn: string;
  region: string;
  nextChange: NextChange;
}

export interface StreamPollerSettings {
  mapping: StreamMapping;
  source: StreamSource;
  checkpoint: Checkpoint;
  invoke: Invoke;
  sendToQueue: SendToQueue;
  signal: AbortSignal;
}

const maxRecordsPerRead = 1000;
/** Beyond so many that were read and are not done, nothing more is read. */
const maxTaken = 10_000;
const retryReadMs = 500;

/** Feeds a function from a table's stream until the signal, in the order of each partition key; a batch that fails holds up those behind it in its lane. */
export async function pollStream(settings: StreamPollerSettings): Promise<void> {
  const { source, signal } = settings;
  let shards: readonly string[] = [];
  while (!signal.aborted) {
    try {
      shards = await shardsOf(source);
      break;
    } catch {
      await pause(retryReadMs, signal);
    }
  }
  await Promise.all(shards.map((shardId) => pollShard(shardId, settings)));
}

async function shardsOf({ client, streamArn }: StreamSource): Promise<string[]> {
  const { StreamDescription } = await client.send(new DescribeStreamCommand({ StreamArn: streamArn }));
  return (StreamDescription?.Shards ?? []).map(({ ShardId }) => ShardId as string);
}

async function pollShard(shardId: string, settings: StreamPollerSettings): Promise<void> {
  const { source, signal, checkpoint } = settings;
  const shard = new Shard(shardId, settings);
  let position = checkpoint.read();
  let iterator: string | undefined;
  while (!signal.aborted) {
    try {
      iterator ??= await iteratorAfter(position, shardId, source);
      const { Records = [], NextShardIterator } = await source.client.send(
        new GetRecordsCommand({ ShardIterator: iterator, Limit: maxRecordsPerRead }),
        { abortSignal: signal },
      );
      iterator = NextShardIterator;
      position = Records.at(-1)?.dynamodb?.SequenceNumber ?? position;
      if (Records.length > 0) await shard.take(Records);
      else await source.nextChange(signal);
    } catch {
      // The engine is restarting, or the iterator has expired: a new one continues after what was read.
      iterator = undefined;
      await pause(retryReadMs, signal);
    }
  }
  await shard.ended();
}

async function iteratorAfter(position: string | undefined, shardId: string, { client, streamArn }: StreamSource) {
  const at = position
    ? { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER' as const, SequenceNumber: position }
    : { ShardIteratorType: 'TRIM_HORIZON' as const };
  const { ShardIterator } = await client.send(
    new GetShardIteratorCommand({ StreamArn: streamArn, ShardId: shardId, ...at }),
  );
  return ShardIterator;
}

interface Taken {
  sequenceNumber: string;
  isDone: boolean;
  record: StreamRecord;
}

interface Lane {
  waiting: Taken[];
  work: Promise<void> | undefined;
}

/** Hands on what the filters let pass, batch by batch, in as many lanes as the mapping has; a partition key has its lane. */
class Shard {
  readonly #id: string;
  readonly #settings: StreamPollerSettings;
  readonly #lanes: readonly Lane[];
  /** In the order of the stream, from the first that is not done. */
  #taken: Taken[] = [];

  constructor(id: string, settings: StreamPollerSettings) {
    this.#id = id;
    this.#settings = settings;
    this.#lanes = Array.from({ length: settings.mapping.lanes }, () => ({ waiting: [], work: undefined }));
  }

  /** Resolves when there is room for more. */
  async take(records: readonly _Record[]): Promise<void> {
    const { mapping, source, signal } = this.#settings;
    for (const record of records) {
      const converted = toLambdaRecord(record, source);
      const isWanted = hasChanged(record) && passes(mapping.filters, converted);
      const taken = { sequenceNumber: converted.dynamodb.SequenceNumber, isDone: !isWanted, record: converted };
      this.#taken.push(taken);
      if (isWanted) this.#lanes[laneOf(record, this.#lanes.length)]?.waiting.push(taken);
    }
    this.#remember();
    for (const lane of this.#lanes) if (lane.waiting.length > 0) lane.work ??= this.#run(lane);
    while (this.#taken.length > maxTaken && !signal.aborted)
      await Promise.race(this.#lanes.flatMap(({ work }) => work ?? []));
  }

  async ended(): Promise<void> {
    await Promise.all(this.#lanes.map(({ work }) => work));
  }

  async #run(lane: Lane): Promise<void> {
    const { mapping, source, signal } = this.#settings;
    while (lane.waiting.length > 0 && !signal.aborted) {
      const batch = lane.waiting.slice(0, mapping.batchSize);
      const records = batch.map(({ record }) => record);
      try {
        await deliver({ records, shardId: this.#id, streamArn: source.streamArn }, this.#settings);
      } catch {
        await pause(retryReadMs, signal);
        continue;
      }
      if (signal.aborted) break;
      lane.waiting.splice(0, batch.length);
      for (const taken of batch) taken.isDone = true;
      this.#remember();
    }
    lane.work = undefined;
  }

  /** The checkpoint stands before the first record that is not done: a restart hands those again that are done behind it. */
  #remember(): void {
    const { checkpoint } = this.#settings;
    const open = this.#taken.findIndex(({ isDone }) => !isDone);
    const done = this.#taken.splice(0, open === -1 ? this.#taken.length : open);
    const last = done.at(-1);
    if (last) checkpoint.write(last.sequenceNumber);
  }
}

const laneOf = ({ dynamodb }: _Record, lanes: number) =>
  createHash('sha256').update(JSON.stringify(dynamodb?.Keys?.['pk'])).digest().readUInt16BE(0) % lanes;

// DynamoDB writes no record for a write that changes nothing; the local engine does.
const hasChanged = ({ eventName, dynamodb }: _Record) =>
  eventName !== 'MODIFY' || !isDeepStrictEqual(dynamodb?.OldImage, dynamodb?.NewImage);

const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => {});
