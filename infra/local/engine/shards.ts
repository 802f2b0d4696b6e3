import { hash } from 'node:crypto';
import type { StreamRecord } from './stream-client.ts';

export interface Shard {
  id: string;
  parentId: string | undefined;
  /** Its share of all keys. */
  lane: number;
  lanes: number;
  /** Of the records of the whole stream, which are numbered without holes from one. */
  first: number;
  last: number;
}

export interface Divided {
  streamArn: string;
  /** A shard is closed after so many records of the whole stream. */
  shardRecords: number;
}

const firstLanes = 4;
const mostLanes = 8;

/**
 * The shards of a stream that has `tail` records, of which those up to `horizon` are past their time. Which shard has a record follows from
 * its number and its key, so that nothing needs to be kept.
 */
export function shardsOf(stream: Divided, horizon: number, tail: number): Shard[] {
  const { shardRecords } = stream;
  const shards: Shard[] = [];
  const oldest = Math.max(0, Math.floor(horizon / shardRecords) - 1);
  for (let generation = oldest; generation * shardRecords <= tail; generation += 1)
    for (let lane = 0; lane < lanesOf(generation); lane += 1) {
      const shard = shardAt(stream, generation, lane);
      if (shard.last > horizon && shard.first <= tail + 1) shards.push(shard);
    }
  return shards;
}

/** A shard goes on in two, and in one where there are enough. */
const lanesOf = (generation: number) => Math.min(mostLanes, firstLanes * 2 ** generation);

function shardAt(stream: Divided, generation: number, lane: number): Shard {
  const parent = [generation - 1, parentOf(generation, lane)] as const;
  return {
    id: idOf(stream, generation, lane),
    parentId: generation > 0 ? idOf(stream, ...parent) : undefined,
    lane,
    lanes: lanesOf(generation),
    first: firstOf(stream, generation, lane),
    last: lastOf(stream, generation, lane),
  };
}

const parentOf = (generation: number, lane: number) =>
  Math.floor((lane * lanesOf(generation - 1)) / lanesOf(generation));

const firstOf = (stream: Divided, generation: number, lane: number) =>
  generation > 0 ? lastOf(stream, generation - 1, parentOf(generation, lane)) + 1 : 1;

/** Not all of a generation are closed at once. */
const lastOf = ({ shardRecords }: Divided, generation: number, lane: number) =>
  Math.floor(shardRecords * (generation + 1 + lane / lanesOf(generation)));

/** Of a stream that is divided otherwise, shards have other names. */
function idOf(stream: Divided, generation: number, lane: number): string {
  const name = hash('md5', `${stream.streamArn} ${stream.shardRecords} ${generation} ${lane}`).slice(0, 8);
  return `shardId-${String(firstOf(stream, generation, lane)).padStart(20, '0')}-${name}`;
}

export const hasKeyOf = ({ lane, lanes }: Shard, { dynamodb }: StreamRecord, partitionKey: string) =>
  shareOf(dynamodb.Keys?.[partitionKey], lanes) === lane;

/** Which of so many shares of all keys has this one. */
export const shareOf = (key: unknown, shares: number): number =>
  Math.floor((Number.parseInt(hash('md5', JSON.stringify(key)).slice(0, 8), 16) / 2 ** 32) * shares);
