import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBStreamEvent } from 'aws-lambda';

/** Event-filter pattern of a stream worker: new items whose partition key begins so. */
export const insertedUnder = (prefix: string) => ({
  eventName: ['INSERT'],
  dynamodb: { Keys: { pk: { S: [{ prefix: `${prefix}#` }] } } },
});

/** The new items of a stream batch, in commit order. */
export const insertedItems = (event: DynamoDBStreamEvent): Record<string, unknown>[] =>
  event.Records.map(({ dynamodb }) => unmarshall((dynamodb?.NewImage ?? {}) as Parameters<typeof unmarshall>[0]));
