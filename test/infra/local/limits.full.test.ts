import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { afterAll, expect, test } from 'vitest';
import { readOptions } from '#infra/local/options.ts';
import { demoClient } from '#test/bench/demo.ts';
import type { Answer } from '#test/client.ts';
import { temporaryFolder } from '#test/infra/local/cloud-assembly.ts';
import { readEnvironment, startSystem } from '#test/system.ts';

const folder = temporaryFolder();
afterAll(folder.remove);

const deadlineMs = 60_000;

test('a system with limits that are reached answers 503, and does all that it is asked again', async () => {
  const limits = {
    TRANSACTION_MS: '20',
    PARTITION_WRITE_UNITS: '60',
    PARTITION_READ_UNITS: '300',
    CONCURRENT_EXECUTIONS: '6',
  };
  const system = await startSystem(folder.path, limits, []);
  const refused: Answer[] = [];
  /** As a client repeats it. */
  const untilDone = async (ask: () => Promise<Answer>): Promise<Answer> => {
    for (const untilMs = Date.now() + deadlineMs; ; await sleep(100 + Math.random() * 400)) {
      const answer = await ask();
      if (answer.status !== 503 || Date.now() > untilMs) return answer;
      refused.push(answer);
    }
  };
  try {
    const client = await demoClient(folder.path, system.baseUrl);
    const create = (index: number) =>
      client.post('/v1/contacts', { name: `Contact ${index}` }, { 'Idempotency-Key': `create-${index}` });
    const contacts = await Promise.all(Array.from({ length: 25 }, (_, index) => untilDone(() => create(index))));
    expect(contacts.map(({ status }) => status)).toEqual(contacts.map(() => 201));
    expect(new Set(contacts.map(({ body }) => body.id)).size).toBe(contacts.length);
    const path = `/v1/contacts/${contacts[0]?.body.id}`;
    const companies = Array.from({ length: 12 }, (_, index) => `Company ${index}`);
    const changes = await Promise.all(companies.map((company) => untilDone(() => client.patch(path, { company }))));
    expect(changes.map(({ status }) => status)).toEqual(companies.map(() => 200));
    expect(companies).toContain((await untilDone(() => client.get(path))).body.company);
    await expect(exhausted(await readEnvironment(folder.path))).rejects.toMatchObject({ name: 'ThrottlingException' });
    // Beyond six at once API Gateway itself answers.
    expect(refused.map(({ body }) => body.message)).toContain('Service Unavailable');
  } finally {
    await system.stop();
  }
});

/** Writes more to one partition than it takes in a second. */
async function exhausted(env: Record<string, string>): Promise<void> {
  const credentials = {
    accessKeyId: String(env['AWS_ACCESS_KEY_ID']),
    secretAccessKey: String(env['AWS_SECRET_ACCESS_KEY']),
  };
  const endpoint = String(env['AWS_ENDPOINT_URL_DYNAMODB']);
  const dynamodb = new DynamoDB({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 });
  const put = (sk: string) =>
    dynamodb.putItem({
      TableName: env['TABLE_NAME'],
      Item: { pk: { S: 'limits' }, sk: { S: sk }, a: { S: 'x'.repeat(100_000) } },
    });
  await put('1');
  await put('2').finally(() => dynamodb.destroy());
}

test('a strict system has the limits of AWS, another none, and each can be set', () => {
  const limitsOf = (args: string[], environment = {}) => readOptions(args, environment).limits;
  const none = {
    transactionMs: 0,
    writeUnits: Infinity,
    readUnits: Infinity,
    concurrentExecutions: Infinity,
    shardRecords: Infinity,
  };
  expect(limitsOf([])).toEqual(none);
  const aws = { transactionMs: 10, writeUnits: 1000, readUnits: 3000, concurrentExecutions: 1000, shardRecords: 1000 };
  expect(limitsOf(['--strict'])).toEqual(aws);
  expect(limitsOf([], { PARTITION_WRITE_UNITS: '5' })).toEqual({ ...none, writeUnits: 5 });
  expect(limitsOf(['--strict'], { TRANSACTION_MS: '0' })).toEqual({ ...aws, transactionMs: 0 });
  expect(() => limitsOf([], { TRANSACTION_MS: 'soon' })).toThrow('TRANSACTION_MS soon');
  expect(() => limitsOf([], { STREAM_SHARD_RECORDS: '0' })).toThrow('STREAM_SHARD_RECORDS 0');
});
