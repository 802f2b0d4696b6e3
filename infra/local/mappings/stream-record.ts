import type { _Record } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';

export type StreamRecord = DynamoDBRecord & { dynamodb: { SequenceNumber: string } };

/** A record as Lambda hands it to functions: the service's JSON, with dates in seconds and bytes in base64. */
export function toLambdaRecord(
  record: _Record,
  { streamArn, region }: { streamArn: string; region: string },
): StreamRecord {
  return plain({ ...record, awsRegion: region, eventSourceARN: streamArn }) as StreamRecord;
}

function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Date) return value.getTime() / 1000;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}
