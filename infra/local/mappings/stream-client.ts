import type { DynamoDBRecord } from 'aws-lambda';
import aws4 from 'aws4';
import { Pool } from 'undici';

/** As functions get it. */
export type StreamRecord = DynamoDBRecord & { dynamodb: { SequenceNumber: string } };

/** What is asked of a table's stream (https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Operations_Amazon_DynamoDB_Streams.html). */
type Operation = 'DescribeStream' | 'GetRecords' | 'GetShardIterator';

/** Asks in DynamoDB's JSON. Throws for every answer but a good one. */
export type StreamClient = (operation: Operation, input: object, signal?: AbortSignal) => Promise<unknown>;

interface Place {
  endpoint: string;
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
}

/**
 * A client that hands on what the stream says as it is, which is how Lambda's functions get it. The SDK's makes objects of it that must
 * be made JSON again: that was a tenth of all that the local system did.
 */
export function openStreams({ endpoint, region, credentials }: Place): StreamClient & { close(): Promise<void> } {
  const { origin, host } = new URL(endpoint);
  const pool = new Pool(origin);
  const ask: StreamClient = async (operation, input, signal) => {
    const body = JSON.stringify(input);
    const request = { service: 'dynamodb', region, method: 'POST', path: '/', body };
    const target = `DynamoDBStreams_20120810.${operation}`;
    const headers = { host, 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target };
    const signed = aws4.sign({ ...request, headers }, credentials).headers as Record<string, string>;
    const answer = await pool.request({ method: 'POST', path: '/', headers: signed, body, ...(signal && { signal }) });
    const said = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`the stream answers ${answer.statusCode} ${said}`);
    return JSON.parse(said);
  };
  return Object.assign(ask, { close: () => pool.destroy() });
}
