import type { DynamoDBRecord } from 'aws-lambda';
import { Pool } from 'undici';

/** As functions get it. */
export type StreamRecord = DynamoDBRecord & { dynamodb: { SequenceNumber: string } };

export interface DescribedShard {
  ShardId: string;
  ParentShardId?: string;
  SequenceNumberRange: { StartingSequenceNumber: string; EndingSequenceNumber?: string };
}

interface Described {
  StreamDescription: { Shards: DescribedShard[]; LastEvaluatedShardId?: string };
}

interface IteratorInput {
  StreamArn: string;
  ShardId: string;
  ShardIteratorType: 'TRIM_HORIZON' | 'AFTER_SEQUENCE_NUMBER';
  SequenceNumber?: string;
}

interface Read {
  Records: StreamRecord[];
  /** None at the end of a shard. */
  NextShardIterator?: string;
}

/**
 * Asks a table's stream in DynamoDB's JSON; throws for every answer but a good one
 * (https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Operations_Amazon_DynamoDB_Streams.html).
 */
export interface StreamClient {
  describe(input: { StreamArn: string; ExclusiveStartShardId?: string }): Promise<Described>;
  iterator(input: IteratorInput): Promise<{ ShardIterator: string }>;
  read(input: { ShardIterator: string; Limit?: number }, signal?: AbortSignal): Promise<Read>;
}

/** DynamoDB's limit of one read. */
export const maxRecordsPerRead = 1000;

/** As long as a function usually takes for what it was handed. */
const sharedMs = 200;

interface Place {
  endpoint: string;
  region: string;
  credentials: { accessKeyId: string };
}

/**
 * A client that several readers share: who reads what another has just read gets the records that the other got. All mappings of a table
 * hear of a change at once, and would each have the engine read it.
 */
export function shared(client: StreamClient): StreamClient {
  const answers = new Map<string, Promise<Read>>();
  const read: StreamClient['read'] = (input) => {
    const question = JSON.stringify(input);
    const known = answers.get(question);
    // There may be some by now where there were none.
    if (known !== undefined) return known.then((said) => (hasRecords(said) ? said : client.read(input)));
    const answer = client.read(input);
    answers.set(question, answer);
    const forget = () => answers.delete(question);
    const keep = (said: Read) => (hasRecords(said) ? void setTimeout(forget, sharedMs).unref() : void forget());
    answer.then(keep, forget);
    return answer;
  };
  return { ...client, read };
}

const hasRecords = ({ Records }: Read) => Records.length > 0;

/**
 * A client that hands on what the stream says as it is, which is how Lambda's functions get it. The SDK's makes objects of it that must
 * be made JSON again: that was a tenth of all that the local system did.
 */
export function openStreams({ endpoint, region, credentials }: Place): StreamClient & { close(): Promise<void> } {
  const pool = new Pool(new URL(endpoint).origin);
  const caller = {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-date': '20300101T000000Z',
    // Engines tell callers apart by their key and region, and check no signature.
    authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/20300101/${region}/dynamodb/aws4_request, SignedHeaders=host, Signature=0`,
  };
  const ask = async (operation: string, input: object, signal?: AbortSignal) => {
    const body = JSON.stringify(input);
    const headers = { ...caller, 'x-amz-target': `DynamoDBStreams_20120810.${operation}` };
    const answer = await pool.request({ method: 'POST', path: '/', headers, body, ...(signal && { signal }) });
    const said = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`the stream answers ${answer.statusCode} ${said}`);
    return JSON.parse(said);
  };
  return {
    describe: (input) => ask('DescribeStream', input),
    iterator: (input) => ask('GetShardIterator', input),
    read: (input, signal) => ask('GetRecords', input, signal),
    close: () => pool.destroy(),
  };
}
