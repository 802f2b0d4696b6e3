import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Changes } from '../engine/changes.ts';
import {
  type DescribedShard,
  maxRecordsPerRead,
  type StreamClient,
  type StreamRecord,
} from '../engine/stream-client.ts';
import type { Invoke } from '../functions.ts';
import type { StreamMapping } from '../template.ts';
import { deliver, type SendToQueue } from './batch.ts';
import { type Checkpoint, shardEnd } from './checkpoint.ts';
import { passes } from './filter.ts';
import { batchesOf } from './payload.ts';

export interface StreamSource {
  client: StreamClient;
  streamArn: string;
  region: string;
  changes: Changes;
}

export interface StreamPollerSettings {
  mapping: StreamMapping;
  source: StreamSource;
  checkpoint: Checkpoint;
  invoke: Invoke;
  sendToQueue: SendToQueue;
  signal: AbortSignal;
}

const retryReadMs = 500;
const gatherMs = 10;

/**
 * Feeds a function from a table's stream until the signal: from its shards side by side, from one that another goes on in once that other is
 * read to its end. Within a shard it keeps the order, and a batch that fails holds up those behind it.
 */
export async function pollStream(settings: StreamPollerSettings): Promise<void> {
  const { source, signal, checkpoint } = settings;
  const reading = new Map<string, Promise<string>>();
  while (!signal.aborted) {
    try {
      for (const { ShardId } of due(await shardsOf(source), checkpoint))
        if (!reading.has(ShardId))
          reading.set(
            ShardId,
            pollShard(ShardId, settings).then(() => ShardId),
          );
    } catch {
      await pause(retryReadMs, signal);
      continue;
    }
    if (reading.size === 0) await pause(retryReadMs, signal);
    else reading.delete(await Promise.race(reading.values()));
  }
  await Promise.all(reading.values());
  await checkpoint.saved();
}

async function shardsOf({ client, streamArn }: StreamSource): Promise<DescribedShard[]> {
  const shards: DescribedShard[] = [];
  let last: string | undefined;
  do {
    const asked = { StreamArn: streamArn, ...(last !== undefined && { ExclusiveStartShardId: last }) };
    const { StreamDescription } = await client.describe(asked);
    shards.push(...StreamDescription.Shards);
    last = StreamDescription.LastEvaluatedShardId;
  } while (last !== undefined);
  return shards;
}

/** Returns the shards to read next: not read to their end, and their parents are. */
function due(shards: readonly DescribedShard[], checkpoint: Checkpoint): DescribedShard[] {
  const ids = new Set(shards.map(({ ShardId }) => ShardId));
  checkpoint.keep(ids);
  const isOver = (shardId: string) => !ids.has(shardId) || checkpoint.read(shardId) === shardEnd;
  return shards.filter(
    ({ ShardId, ParentShardId }) => !isOver(ShardId) && (ParentShardId === undefined || isOver(ParentShardId)),
  );
}

/** Resolves at the end of the shard. */
async function pollShard(shardId: string, settings: StreamPollerSettings): Promise<void> {
  const { source, signal, checkpoint } = settings;
  const nextChange = source.changes.listen();
  let iterator: string | undefined;
  while (!signal.aborted) {
    try {
      iterator ??= await iteratorAfter(checkpoint.read(shardId), shardId, source);
      const asked = { ShardIterator: iterator, Limit: maxRecordsPerRead };
      const { Records, NextShardIterator } = await source.client.read(asked, signal);
      iterator = NextShardIterator;
      if (Records.length > 0) await handle(Records, shardId, settings);
      if (signal.aborted) return;
      if (!iterator) return checkpoint.write(shardId, shardEnd);
      // Changes come in groups, as what one call writes does: a group is read at once.
      if (Records.length === 0) await nextChange(signal).then(() => pause(gatherMs, signal));
    } catch (error) {
      // The engine is restarting, or the iterator has expired: a new one continues after the checkpoint.
      iterator = undefined;
      await pause(retryReadMs, signal);
      if (isSaid(error, 'ResourceNotFoundException')) return;
    }
  }
}

/** Returns an iterator after a position. Records that the stream no longer has are skipped. */
async function iteratorAfter(position: string | undefined, ShardId: string, { client, streamArn }: StreamSource) {
  const at = { StreamArn: streamArn, ShardId };
  const fromOldest = () => client.iterator({ ...at, ShardIteratorType: 'TRIM_HORIZON' });
  const behind = (SequenceNumber: string) =>
    client.iterator({ ...at, ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber }).catch((error) => {
      if (isSaid(error, 'TrimmedDataAccessException')) return fromOldest();
      throw error;
    });
  const { ShardIterator } = await (position === undefined ? fromOldest() : behind(position));
  return ShardIterator;
}

const isSaid = (error: unknown, exception: string) => (error as Error).message.includes(exception);

/** Hands on what the filters let pass, batch by batch; the checkpoint follows what is done with all before it. */
async function handle(
  records: readonly StreamRecord[],
  shardId: string,
  settings: StreamPollerSettings,
): Promise<void> {
  const { mapping, source, checkpoint, signal } = settings;
  const { awsRegion, eventSourceARN } = { awsRegion: source.region, eventSourceARN: source.streamArn };
  const wanted = records
    .filter((record) => passes(mapping.filters, record) && hasChanged(record))
    .map((record) => ({ ...record, awsRegion, eventSourceARN }));
  for (const batch of batchesOf(wanted, mapping.batchSize)) {
    await deliver({ records: batch, shardId, streamArn: source.streamArn }, settings);
    if (signal.aborted) return;
    const done = batch.at(-1)?.record;
    if (done) checkpoint.write(shardId, done.dynamodb.SequenceNumber);
  }
  const last = records.at(-1);
  if (last && !signal.aborted) checkpoint.write(shardId, last.dynamodb.SequenceNumber);
}

// DynamoDB writes no record for a write that changes nothing; the local engine does.
const hasChanged = ({ eventName, dynamodb }: StreamRecord) =>
  eventName !== 'MODIFY' || !isDeepStrictEqual(dynamodb.OldImage, dynamodb.NewImage);

const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => {});
