import { setTimeout as sleep } from 'node:timers/promises';
import { BatchGetCommand, BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../env.ts';
import { unavailable } from '../problem.ts';
import { documentClient } from './client.ts';
import { identity, type Key } from './keys.ts';

export type Row = Key & Record<string, unknown>;

const maxReads = 100;
const maxWrites = 25;
const maxAttempts = 7;

/** Any number of rows by key, strongly consistent, in rounds of a hundred side by side; by their `identity`. Raises 503. */
export async function readRows(keys: readonly Key[]): Promise<Map<string, Row>> {
  const found = new Map<string, Row>();
  const distinct = [...new Map(keys.map(({ pk, sk }) => [identity({ pk, sk }), { pk, sk }])).values()];
  const TableName = env('TABLE_NAME');
  await inRounds(distinct, maxReads, async (Keys) => {
    const { Responses, UnprocessedKeys } = await documentClient().send(
      new BatchGetCommand({ RequestItems: { [TableName]: { Keys, ConsistentRead: true } } }),
    );
    for (const item of Responses?.[TableName] ?? []) found.set(identity(item as Row), item as Row);
    return (UnprocessedKeys?.[TableName]?.Keys ?? []) as Key[];
  });
  return found;
}

type Write = { PutRequest: { Item: Row } } | { DeleteRequest: { Key: Key } };

/** Puts or deletes any number of rows, each by itself and without a condition. Raises 503 when some are left. */
export async function writeRows(writes: readonly Write[]): Promise<void> {
  const TableName = env('TABLE_NAME');
  await inRounds(writes, maxWrites, async (round) => {
    const { UnprocessedItems } = await documentClient().send(
      new BatchWriteCommand({ RequestItems: { [TableName]: round } }),
    );
    return (UnprocessedItems?.[TableName] ?? []) as Write[];
  });
}

/** Rounds side by side; what the table leaves of one is tried again, a little later each time. */
async function inRounds<T>(all: readonly T[], size: number, work: (round: T[]) => Promise<T[]>): Promise<void> {
  const rounds = Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
  await Promise.all(
    rounds.map(async (round) => {
      let left = round;
      for (let attempt = 0; left.length > 0; attempt += 1) {
        if (attempt === maxAttempts) throw unavailable(1);
        if (attempt > 0) await sleep(Math.random() * 50 * 2 ** attempt);
        left = await work(left);
      }
    }),
  );
}
