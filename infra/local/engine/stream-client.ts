import type { DynamoDBRecord } from 'aws-lambda';
import aws4 from 'aws4';
import { Pool } from 'undici';

/** As functions get it. */
export type StreamRecord = DynamoDBRecord & { dynamodb: { SequenceNumber: string } };

/** What is asked of a table's stream (https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Operations_Amazon_DynamoDB_Streams.html). */
type Operation = 'DescribeStream' | 'GetRecords' | 'GetShardIterator';

/** Asks in DynamoDB's JSON. Throws for every answer but a good one. */
export type StreamClient = (operation: Operation, input: object, signal?: AbortSignal) => Promise<unknown>;

/** As long as a function usually takes for what it was handed. */
const sharedMs = 200;

interface Place {
  endpoint: string;
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
}

/**
 * A client that several readers share: who asks what another has just asked gets the records that the other got. All mappings of a table
 * hear of a change at once, and would each have the engine read it.
 */
export function shared(ask: StreamClient): StreamClient {
  const answers = new Map<string, Promise<unknown>>();
  return (operation, input) => {
    const question = `${operation} ${JSON.stringify(input)}`;
    const known = answers.get(question);
    // There may be some by now where there were none.
    if (known !== undefined) return known.then((said) => (hasRecords(said) ? said : ask(operation, input)));
    const answer = ask(operation, input);
    answers.set(question, answer);
    const forget = () => answers.delete(question);
    const keep = (said: unknown) => (hasRecords(said) ? void setTimeout(forget, sharedMs).unref() : void forget());
    answer.then(keep, forget);
    return answer;
  };
}

const hasRecords = (said: unknown) => ((said as { Records?: unknown[] }).Records ?? []).length > 0;

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
