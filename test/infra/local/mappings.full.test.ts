import { CreateTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { polledChanges } from '#infra/local/engine/changes.ts';
import { openStreams, type StreamClient } from '#infra/local/engine/stream-client.ts';
import { type Engine, startEngine } from '#infra/local/engine.ts';
import type { Answer } from '#infra/local/functions/invocation.ts';
import { failedItems } from '#infra/local/mappings/failures.ts';
import { passes } from '#infra/local/mappings/filter.ts';
import { type MappingsSettings, startMappings } from '#infra/local/mappings.ts';
import { type LocalSqs, startSqs } from '#infra/local/sqs.ts';
import type { QueueMapping, StreamMapping } from '#infra/local/template.ts';
import { temporaryFolder } from '#test/infra/local/cloud-assembly.ts';

const home = { accountId: '111111111111', region: 'eu-west-1' };
const folder = temporaryFolder();
let sqs: LocalSqs;
let engine: Engine;
let dynamodb: DynamoDBClient;
let streams: ReturnType<typeof openStreams>;
const stops: (() => Promise<void>)[] = [];
let count = 0;

beforeAll(async () => {
  sqs = await startSqs({ host: '127.0.0.1', port: 0, accessKeyId: 'any', ...home });
  engine = await startEngine({
    host: '127.0.0.1',
    port: 0,
    accessKeyId: 'any',
    endpoint: process.env['DYNAMODB_ENDPOINT'],
    folder: `${folder.path}/engine`,
    onGivenUp: (error) => {
      throw error;
    },
  });
  const sdk = {
    endpoint: engine.url,
    region: home.region,
    credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
  };
  dynamodb = new DynamoDBClient(sdk);
  streams = openStreams(sdk);
});
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});
afterAll(async () => {
  dynamodb.destroy();
  await Promise.all([streams.close(), sqs.close(), engine.stop()]);
  folder.remove();
});

const ok = (result: unknown = null): Answer => ({ payload: JSON.stringify(result) });
const failed: Answer = { error: { errorType: 'Error', errorMessage: 'no', trace: [] } };
const failures = (...ids: string[]) => ok({ batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })) });

interface LambdaEvent {
  // biome-ignore lint/suspicious/noExplicitAny: records of queues and of streams.
  Records: any[];
}

function startWith(
  deployment: Partial<MappingsSettings['deployment']>,
  answer: (event: LambdaEvent) => Answer | Promise<Answer>,
  streamOf: MappingsSettings['streamOf'] = () => {
    throw new Error('no stream here');
  },
) {
  const events: LambdaEvent[] = [];
  const stop = startMappings({
    ...home,
    sqs,
    sendToQueue: sqs.send,
    streamOf,
    checkpoints: `${folder.path}/checkpoints`,
    deployment: { queueMappings: [], streamMappings: [], rules: [], ...deployment },
    invoke: async (_name, event) => {
      const parsed = JSON.parse(event);
      events.push(parsed);
      return answer(parsed);
    },
  });
  stops.push(stop);
  return { events, stop };
}

const common = { functionName: 'work', windowSeconds: 0, filters: [], reportsItemFailures: true };

describe('filters', () => {
  const record = { eventName: 'INSERT', dynamodb: { NewImage: { pk: { S: 'outbox#1' }, n: 5, tags: ['a', 'b'] } } };
  const image = (rules: Record<string, unknown>) => passes([{ dynamodb: { NewImage: rules } }], record);

  test('a value matches when it is in the list, and every key has to match', () => {
    expect(passes([{ eventName: ['MODIFY', 'INSERT'] }], record)).toBe(true);
    expect(passes([{ eventName: ['INSERT'], dynamodb: { NewImage: { pk: { S: ['other'] } } } }], record)).toBe(false);
    expect(image({ tags: ['b'] })).toBe(true);
  });
  test('one of several filters is enough, and no filter lets everything pass', () => {
    expect(passes([{ eventName: ['REMOVE'] }, { eventName: ['INSERT'] }], record)).toBe(true);
    expect(passes([], record)).toBe(true);
  });
  test('a rule compares the beginning of a text', () => {
    expect(image({ pk: { S: [{ prefix: 'outbox#' }] } })).toBe(true);
    expect(image({ pk: { S: ['other', { prefix: 'due#' }] } })).toBe(false);
    expect(image({ n: [{ prefix: '5' }] })).toBe(false);
  });
  test('a rule that Lambda has and this does not is refused, not ignored', () => {
    expect(() => image({ pk: { S: [{ wildcard: 'o*' }] } })).toThrow('wildcard');
  });
});

test('item failures count only when they name items of the batch', () => {
  const ids = ['a', 'b'];
  expect([...failedItems(failures('b'), ids, true)]).toEqual(['b']);
  expect([...failedItems(ok(), ids, true)]).toEqual([]);
  expect([...failedItems(failures('x'), ids, true)]).toEqual(ids);
  expect([...failedItems(failed, ids, true)]).toEqual(ids);
  expect([...failedItems(failures('b'), ids, false)]).toEqual([]);
});

describe('queues', () => {
  const newQueue = (attributes: Record<string, unknown> = {}) => sqs.createQueue(`jobs-${++count}`, attributes);
  const mappingOf = (queueArn: string, more: Partial<QueueMapping> = {}): QueueMapping => ({
    ...common,
    id: `mapping-${++count}`,
    queueArn,
    batchSize: 10,
    maxConcurrency: 2,
    ...more,
  });
  const left = (queue: ReturnType<typeof newQueue>) => {
    const { visible, inFlight, delayed } = queue.counts();
    return visible + inFlight + delayed;
  };

  test('handled messages are deleted, failed ones come back and end in the dead-letter queue', async () => {
    const dead = newQueue();
    const queue = newQueue({
      VisibilityTimeout: 1,
      RedrivePolicy: { deadLetterTargetArn: dead.arn, maxReceiveCount: 2 },
    });
    for (const body of ['good', 'bad']) queue.send(body);
    const { events } = startWith({ queueMappings: [mappingOf(queue.arn)] }, ({ Records }) =>
      failures(...Records.filter(({ body }) => body === 'bad').map(({ messageId }) => messageId)),
    );
    await expect.poll(() => dead.counts().visible).toBe(1);
    expect(left(queue)).toBe(0);
    const bodies = events.flatMap(({ Records }) => Records.map(({ body }) => body));
    expect(bodies.sort()).toEqual(['bad', 'bad', 'good']);
  });

  test('an error of the function gives the whole batch back', async () => {
    const queue = newQueue({ VisibilityTimeout: 1 });
    queue.send('one');
    let attempts = 0;
    startWith({ queueMappings: [mappingOf(queue.arn)] }, () => (++attempts === 1 ? failed : ok()));
    await expect.poll(() => left(queue)).toBe(0);
    expect(attempts).toBe(2);
  });

  test('no more invocations run at once than the mapping allows', async () => {
    const queue = newQueue();
    for (let message = 0; message < 12; message += 1) queue.send('one');
    let [running, most] = [0, 0];
    const mapping = mappingOf(queue.arn, { batchSize: 1, maxConcurrency: 3 });
    startWith({ queueMappings: [mapping] }, async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 20));
      running -= 1;
      return ok();
    });
    await expect.poll(() => left(queue)).toBe(0);
    expect(most).toBe(3);
  });

  test('a batching window fills a batch, and no batch is larger than the batch size', async () => {
    const queue = newQueue();
    const mapping = mappingOf(queue.arn, { batchSize: 15, windowSeconds: 20, maxConcurrency: 1 });
    const { events } = startWith({ queueMappings: [mapping] }, () => ok());
    for (let index = 0; index < 15; index += 1) queue.send(String(index));
    await expect.poll(() => left(queue)).toBe(0);
    expect(events.map(({ Records }) => Records.length)).toEqual([15]);
  });

  test('a batch has at most 6 MB', async () => {
    const queue = newQueue();
    for (let index = 0; index < 8; index += 1) queue.send('x'.repeat(1_000_000));
    const mapping = mappingOf(queue.arn, { maxConcurrency: 1 });
    const { events } = startWith({ queueMappings: [mapping] }, () => ok());
    await expect.poll(() => left(queue)).toBe(0);
    expect(events.map(({ Records }) => Records.length)).toEqual([6, 2]);
  });

  test('messages that no filter lets pass are deleted unseen', async () => {
    const queue = newQueue();
    for (const kind of ['wanted', 'other']) queue.send(JSON.stringify({ kind }));
    const filters = [{ body: { kind: ['wanted'] } }];
    const { events } = startWith({ queueMappings: [mappingOf(queue.arn, { filters })] }, () => ok());
    await expect.poll(() => left(queue)).toBe(0);
    expect(events.flatMap(({ Records }) => Records.map(({ body }) => JSON.parse(body).kind))).toEqual(['wanted']);
  });
});

describe('streams', () => {
  async function newTable(text = 'é') {
    const TableName = `table-${++count}`;
    const { TableDescription } = await dynamodb.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
      }),
    );
    const streamArn = TableDescription?.LatestStreamArn as string;
    const streamOf = () => ({ client: streams, streamArn, region: home.region, changes: engine.changes });
    const put = async (...keys: string[]) => {
      for (const pk of keys) {
        const Item = { pk: { S: pk }, data: { B: Buffer.from(text) } };
        await dynamodb.send(new PutItemCommand({ TableName, Item }));
      }
    };
    return { TableName, streamOf, put };
  }
  const mappingOf = (tableName: string, more: Partial<StreamMapping> = {}): StreamMapping => ({
    ...common,
    id: `stream-${++count}`,
    streamArn: '',
    tableName,
    batchSize: 100,
    bisects: false,
    maxRetries: Number.POSITIVE_INFINITY,
    maxAgeSeconds: Number.POSITIVE_INFINITY,
    onFailureQueueArn: undefined,
    ...more,
  });
  const keysOf = (events: LambdaEvent[]) =>
    events.map(({ Records }) => Records.map(({ dynamodb: { Keys } }) => Keys.pk.S).join(''));

  test('records come in order, as Lambda writes them, and a write that changes nothing gives none', async () => {
    const { TableName, streamOf, put } = await newTable();
    await put('a', 'b', 'a', 'c');
    const { events } = startWith({ streamMappings: [mappingOf(TableName)] }, () => ok(), streamOf);
    await put('d');
    await expect.poll(() => keysOf(events).join('')).toBe('abcd');
    const [first] = events.flatMap(({ Records }) => Records);
    const { ApproximateCreationDateTime, ...change } = first.dynamodb;
    expect(change).toMatchObject({
      Keys: { pk: { S: 'a' } },
      NewImage: { pk: { S: 'a' }, data: { B: Buffer.from('é').toString('base64') } },
      StreamViewType: 'NEW_AND_OLD_IMAGES',
    });
    expect(Math.abs(ApproximateCreationDateTime - Date.now() / 1000)).toBeLessThan(60);
    expect(first).toMatchObject({
      eventName: 'INSERT',
      awsRegion: 'eu-west-1',
      eventSource: 'aws:dynamodb',
    });
  });

  test('only what the filters let pass is handed on', async () => {
    const { TableName, streamOf, put } = await newTable();
    await put('x1', 'y1', 'x2');
    const filters = [{ dynamodb: { NewImage: { pk: { S: [{ prefix: 'x' }] } } } }];
    const { events } = startWith({ streamMappings: [mappingOf(TableName, { filters })] }, () => ok(), streamOf);
    await expect.poll(() => keysOf(events).join('')).toBe('x1x2');
  });

  test('after a partial failure it resumes at the first failed record, in order', async () => {
    const { TableName, streamOf, put } = await newTable();
    await put('a', 'b', 'c', 'd');
    let calls = 0;
    const { events } = startWith(
      { streamMappings: [mappingOf(TableName)] },
      ({ Records }) =>
        ++calls === 1 ? failures(Records[2].dynamodb.SequenceNumber, Records[3].dynamodb.SequenceNumber) : ok(),
      streamOf,
    );
    await expect.poll(() => keysOf(events)).toEqual(['abcd', 'cd']);
  });

  test('a batch with a poisoned record is halved until that record is alone and a dead letter', async () => {
    const { TableName, streamOf, put } = await newTable();
    await put('a', 'b', 'P', 'd');
    const dead = sqs.createQueue(`dead-${++count}`);
    const mapping = mappingOf(TableName, { bisects: true, maxRetries: 1, onFailureQueueArn: dead.arn });
    const { events } = startWith(
      { streamMappings: [mapping] },
      ({ Records }) => (Records.some(({ dynamodb: { Keys } }) => Keys.pk.S === 'P') ? failed : ok()),
      streamOf,
    );
    await expect.poll(() => keysOf(events).at(-1)).toBe('d');
    expect(keysOf(events)).toEqual(['abPd', 'ab', 'Pd', 'P', 'P', 'd']);
    const [record] = await dead.receiveRecords();
    expect(JSON.parse(record?.body as string).DDBStreamBatchInfo).toMatchObject({ batchSize: 1 });
  });

  test('after a restart it resumes after the handled records', async () => {
    const { TableName, streamOf, put } = await newTable();
    const mapping = mappingOf(TableName);
    await put('a');
    const before = startWith({ streamMappings: [mapping] }, () => ok(), streamOf);
    await expect.poll(() => keysOf(before.events)).toEqual(['a']);
    await before.stop();
    await put('b');
    const failing = startWith({ streamMappings: [mapping] }, () => failed, streamOf);
    await expect.poll(() => keysOf(failing.events)[0]).toBe('b');
    await failing.stop();
    const after = startWith({ streamMappings: [mapping] }, () => ok(), streamOf);
    await expect.poll(() => keysOf(after.events)).toEqual(['b']);
  });

  test('a batch has at most 6 MB', async () => {
    const { TableName, streamOf, put } = await newTable('x'.repeat(380_000));
    await put(...Array.from({ length: 20 }, (_, index) => `key ${index}`));
    const { events } = startWith({ streamMappings: [mappingOf(TableName)] }, () => ok(), streamOf);
    await expect.poll(() => events.flatMap(({ Records }) => Records).length).toBe(20);
    expect(events.map((event) => Buffer.byteLength(JSON.stringify(event)))).toSatisfy((sizes: number[]) =>
      sizes.every((size) => size <= 6_291_556),
    );
  });

  test('a shard is read after its parent, and in parallel with all others', async () => {
    const shards = [
      { id: 'first', rounds: [1, 2, 3], isClosed: true },
      { id: 'second', parent: 'first', rounds: [4, 5], isClosed: false },
      { id: 'other', rounds: [11, 12], isClosed: false },
    ];
    let isPoisoned = true;
    const mapping = mappingOf('several', { batchSize: 1 });
    const run = () =>
      startWith(
        { streamMappings: [mapping] },
        ({ Records }) => (isPoisoned && roundOf(Records[0]) === 11 ? failed : ok()),
        () => ({ client: streamOfShards(shards), streamArn: 'several', region: home.region, changes: polledChanges }),
      );
    const { events, stop } = run();
    const came = () => events.map(({ Records }) => roundOf(Records[0]));
    await expect.poll(() => came().filter((round) => round < 10)).toEqual([1, 2, 3, 4, 5]);
    expect(came()).not.toContain(12);
    isPoisoned = false;
    await expect.poll(came).toContain(12);
    await stop();
    const again = run();
    shards[2]?.rounds.push(13);
    await expect.poll(() => again.events.map(({ Records }) => roundOf(Records[0]))).toEqual([13]);
    await again.stop();
  });
});

// biome-ignore lint/suspicious/noExplicitAny: records of streams.
const roundOf = (record: any) => Number(record.dynamodb.NewImage.round.N);

/** A stream with these shards, each with a record for each round. */
function streamOfShards(shards: { id: string; parent?: string; rounds: number[]; isClosed: boolean }[]): StreamClient {
  const recordOf = (round: number) =>
    ({
      eventName: 'INSERT',
      dynamodb: { Keys: { pk: { S: `${round}` } }, NewImage: { round: { N: `${round}` } }, SequenceNumber: `${round}` },
    }) as never;
  return {
    describe: async () => ({
      StreamDescription: {
        Shards: shards.map(({ id, parent }) => ({
          ShardId: id,
          ...(parent && { ParentShardId: parent }),
          SequenceNumberRange: { StartingSequenceNumber: '1' },
        })),
      },
    }),
    iterator: async ({ ShardId, SequenceNumber = '0' }) => ({ ShardIterator: `${ShardId} ${SequenceNumber}` }),
    async read({ ShardIterator }) {
      const [id, after] = ShardIterator.split(' ');
      const { rounds = [], isClosed = true } = shards.find((shard) => shard.id === id) ?? {};
      const next = rounds.filter((round) => round > Number(after));
      return {
        Records: next.map(recordOf),
        ...(!isClosed && { NextShardIterator: `${id} ${rounds.at(-1)}` }),
      };
    },
  };
}

test('a rule invokes its function soon after the start', async () => {
  const rule = {
    arn: 'arn:aws:events:eu-west-1:111111111111:rule/r',
    functionName: 'work',
    intervalMs: 60_000,
    input: undefined,
  };
  const { events } = startWith({ rules: [rule] }, () => ok());
  await expect.poll(() => events).toMatchObject([{ source: 'aws.events', resources: [rule.arn] }]);
});
