import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { NextChange } from '../engine/changes.ts';
import type { Invoke } from '../functions.ts';
import type { StreamMapping } from '../template.ts';
import { type Batch, deliver, type SendToQueue } from './batch.ts';
import type { Checkpoint } from './checkpoint.ts';
import { passes } from './filter.ts';
import type { StreamClient, StreamRecord } from './stream-client.ts';

export interface StreamSource {
  client: StreamClient;
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
const retryReadMs = 500;
const gatherMs = 10;

/** Feeds a function from a table's stream until the signal, in order; a batch that fails holds up those behind it. */
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
  await settings.checkpoint.saved();
}

async function shardsOf({ client, streamArn }: StreamSource): Promise<string[]> {
  const { StreamDescription } = (await client('DescribeStream', { StreamArn: streamArn })) as {
    StreamDescription: { Shards: { ShardId: string }[] };
  };
  return StreamDescription.Shards.map(({ ShardId }) => ShardId);
}

async function pollShard(shardId: string, settings: StreamPollerSettings): Promise<void> {
  const { source, signal, checkpoint } = settings;
  let iterator: string | undefined;
  while (!signal.aborted) {
    try {
      iterator ??= await iteratorAfter(checkpoint.read(), shardId, source);
      const asked = { ShardIterator: iterator, Limit: maxRecordsPerRead };
      const { Records, NextShardIterator } = (await source.client('GetRecords', asked, signal)) as {
        Records: StreamRecord[];
        NextShardIterator?: string;
      };
      iterator = NextShardIterator;
      if (Records.length > 0) await handle(Records, shardId, settings);
      else await nextChanges(source, signal);
    } catch {
      // The engine is restarting, or the iterator has expired: a new one continues after the checkpoint.
      iterator = undefined;
      await pause(retryReadMs, signal);
    }
  }
}

/** Changes come in groups, as what one call writes does: a group is read at once. */
async function nextChanges({ nextChange }: StreamSource, signal: AbortSignal): Promise<void> {
  await nextChange(signal);
  await pause(gatherMs, signal);
}

async function iteratorAfter(position: string | undefined, ShardId: string, { client, streamArn }: StreamSource) {
  const at = position
    ? { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: position }
    : { ShardIteratorType: 'TRIM_HORIZON' };
  const asked = { StreamArn: streamArn, ShardId, ...at };
  return ((await client('GetShardIterator', asked)) as { ShardIterator: string }).ShardIterator;
}

/** Hands on what the filters let pass, batch by batch; the checkpoint follows each. */
async function handle(
  records: readonly StreamRecord[],
  shardId: string,
  settings: StreamPollerSettings,
): Promise<void> {
  const { mapping, source, checkpoint, signal } = settings;
  let pending: StreamRecord[] = [];
  const flush = async (position: string) => {
    const batch: Batch = { records: pending, shardId, streamArn: source.streamArn };
    pending = [];
    if (batch.records.length > 0) await deliver(batch, settings);
    if (!signal.aborted) checkpoint.write(position);
  };
  for (const [index, record] of records.entries()) {
    if (passes(mapping.filters, record) && hasChanged(record))
      pending.push({ ...record, awsRegion: source.region, eventSourceARN: source.streamArn });
    const isLast = index === records.length - 1;
    if (pending.length >= mapping.batchSize || isLast) await flush(record.dynamodb.SequenceNumber);
    if (signal.aborted) return;
  }
}

// DynamoDB writes no record for a write that changes nothing; the local engine does.
const hasChanged = ({ eventName, dynamodb }: StreamRecord) =>
  eventName !== 'MODIFY' || !isDeepStrictEqual(dynamodb.OldImage, dynamodb.NewImage);

const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => {});
