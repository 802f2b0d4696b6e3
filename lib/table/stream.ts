import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { isRow, type Row } from './rows.ts';

/** Event-filter pattern of a stream worker: new items whose partition key begins so. */
export const insertedUnder = (prefix: string) => ({
  eventName: ['INSERT'],
  dynamodb: { Keys: { pk: { S: [{ prefix: `${prefix}#` }] } } },
});

/**
 * Handles the new items of a stream batch, in commit order. The work returns those that are left for a reason that may pass: the
 * stream goes on from the first of them. An item that fails for a reason of its own is none of them, or it would hold up its shard.
 */
export async function handleInserted(
  { Records }: DynamoDBStreamEvent,
  work: (rows: Row[]) => Promise<readonly Row[]>,
): Promise<DynamoDBBatchResponse> {
  const numbers = new Map<Row, string>();
  for (const { dynamodb } of Records) {
    const { NewImage = {}, SequenceNumber = '' } = dynamodb ?? {};
    const row = unmarshall(NewImage as Parameters<typeof unmarshall>[0]);
    if (isRow(row)) numbers.set(row, SequenceNumber);
  }
  const left = await work([...numbers.keys()]);
  return { batchItemFailures: left.map((row) => ({ itemIdentifier: numbers.get(row) ?? '' })) };
}
