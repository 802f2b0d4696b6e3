import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { attributesOf } from '#lib/table/client.ts';
import { isRow, type Row } from '#lib/table/rows.ts';
import { type TriggeredBy, type Worker, worker } from './worker.ts';

/** Event-filter pattern of a stream worker: new items whose partition key begins so. */
export const insertedUnder = (prefix: string) => ({
  eventName: ['INSERT'],
  dynamodb: { Keys: { pk: { S: [{ prefix: `${prefix}#` }] } } },
});

/**
 * A Lambda fed with the table's new items, in commit order. The work returns those that are left for a reason that may pass: the
 * stream goes on from the first of them. An item that fails for a reason of its own is none of them, or it would hold up its shard.
 */
export const streamWorker = (
  settings: TriggeredBy<'stream'>,
  work: (rows: Row[]) => Promise<readonly Row[]>,
): Worker<DynamoDBStreamEvent, DynamoDBBatchResponse> =>
  worker(settings, async ({ Records }) => {
    const numbers = new Map(Records.flatMap(numbered));
    const left = await work([...numbers.keys()]);
    return { batchItemFailures: left.map((row) => ({ itemIdentifier: numbers.get(row) ?? '' })) };
  });

/** The new item with its place in the stream. */
function numbered({ dynamodb }: DynamoDBRecord): [Row, string][] {
  const { NewImage = {}, SequenceNumber = '' } = dynamodb ?? {};
  const row = attributesOf(NewImage);
  return isRow(row) ? [[row, SequenceNumber]] : [];
}
