import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import * as dynamodb from '@aws-sdk/client-dynamodb';
import * as kms from '@aws-sdk/client-kms';
import * as scheduler from '@aws-sdk/client-scheduler';
import * as sqs from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { aws, type Call } from '#lib/aws/call.ts';
import { signAs } from '#lib/aws/signed.ts';
import { isMissing, isPassing, isThrottled, missing } from '#lib/aws.ts';
import { dynamodb as table } from '#lib/table/client.ts';
import { cancellations, failedCondition, failureOf } from '#lib/table/errors.ts';
import { authorizationOf } from '#test/aws/signature.ts';

let server: Server;
let answer: RequestListener;

const endpoints = ['DYNAMODB', 'KMS', 'SCHEDULER', 'SQS'].map((service) => `AWS_ENDPOINT_URL_${service}`);
const listenAt = (port: number) => {
  for (const name of endpoints) vi.stubEnv(name, `http://127.0.0.1:${port}`);
};
beforeAll(async () => {
  server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  listenAt((server.address() as AddressInfo).port);
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
});

const queues: Call = { service: 'sqs', operation: 'ListQueues', body: '{}' };
const calls: Call[] = [
  { service: 'dynamodb', operation: 'GetItem', body: '{"TableName":"täble"}' },
  { service: 'kms', operation: 'Decrypt', body: '{}' },
  { service: 'scheduler', operation: 'CreateSchedule', path: '/schedules/a0', body: '{"GroupName":"g"}' },
  queues,
];

test.each(calls)('a call to $service is signed, with the session of temporary credentials', async (call) => {
  for (const token of [undefined, 'of a session']) {
    vi.stubEnv('AWS_SESSION_TOKEN', token);
    let told: Record<string, unknown> = {};
    answer = async (request, response) => {
      const received = { url: `${request.url}`, headers: request.headers, body: await text(request) };
      const { authorization, 'x-amz-security-token': session } = request.headers;
      told = { body: received.body, isRight: authorization === authorizationOf(received), authorization, session };
      response.end('{"a":1}');
    };
    expect(await aws.call(call)).toEqual({ a: 1 });
    expect(told).toMatchObject({ body: call.body, isRight: true, session: token });
    expect(told['authorization']).toContain(
      `/${process.env['AWS_REGION']}/${call.service}/aws4_request, SignedHeaders=`,
    );
  }
});

test('a process may sign as somebody else than its environment says', async () => {
  let authorization: string | undefined;
  answer = (request, response) => {
    authorization = request.headers.authorization;
    response.end('{}');
  };
  signAs({ accessKeyId: 'ANOTHER', secretAccessKey: 'x' });
  await aws.call(queues);
  signAs(undefined);
  expect(authorization).toContain('Credential=ANOTHER/');
  await aws.call(queues);
  expect(authorization).toContain(`Credential=${process.env['AWS_ACCESS_KEY_ID']}/`);
});

/** Calls that fail by themselves are made once by the SDK, too. */
const once = { maxAttempts: 1 };
const services: [service: Call['service'], client: object, call: () => Promise<unknown>][] = [
  ['dynamodb', dynamodb, () => new dynamodb.DynamoDBClient(once).send(new dynamodb.ListTablesCommand({}))],
  ['kms', kms, () => new kms.KMSClient(once).send(new kms.ListKeysCommand({}))],
  [
    'scheduler',
    scheduler,
    () => new scheduler.SchedulerClient(once).send(new scheduler.GetScheduleCommand({ Name: 'a' })),
  ],
  ['sqs', sqs, () => new sqs.SQSClient(once).send(new sqs.ListQueuesCommand({}))],
];

/** In the SDK's description -3 is an error, and its traits say whose it is. */
const errorsOf = (client: object) =>
  Object.values(client).flatMap((of) => {
    const [kind, namespace, name, traits] = Array.isArray(of) ? of : [];
    if (kind !== -3 || !traits.error) return [];
    return [{ type: `${namespace}#${name}`, name: String(name), status: traits.error === 'server' ? 500 : 400 }];
  });

describe('an error says what it does by the SDK', () => {
  const said = (error: unknown) => {
    const { name, message, $metadata } = error as Error & { $metadata?: { httpStatusCode: number } };
    const status = $metadata?.httpStatusCode;
    return { name, message, status, isPassing: isPassing(error), isThrottled: isThrottled(error) };
  };
  test.each(services)('%s', async (service, client, bySdk) => {
    const errors = errorsOf(client);
    expect(errors.length).toBeGreaterThan(5);
    for (const { type, name, status } of errors) {
      // DynamoDB is asked again by the client itself; everybody else of ours asks by `isPassing`.
      if (name === 'TransactionConflictException') continue;
      const headers = service === 'scheduler' ? { 'x-amzn-errortype': `${name}:http://internal` } : {};
      answer = (_, response) =>
        response.writeHead(status, headers).end(JSON.stringify({ __type: type, message: 'for a reason' }));
      const ours = await aws.attempt({ service, operation: 'Any', body: '{}' }).catch(said);
      expect(ours).toMatchObject({ name, message: 'for a reason', status });
      expect(ours).toEqual(await bySdk().catch(said));
    }
  });
});

test('what the table says of a failed condition is read as items are, and shown by nobody who prints the error', async () => {
  const Item = { pk: { S: '1' }, bytes: { B: 'AQ==' }, count: { N: '7' } };
  const item = { pk: '1', bytes: new Uint8Array([1]), count: 7 };
  const refuse = (name: string, contents: object) => {
    answer = (_, response) =>
      response.writeHead(400).end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, ...contents }));
    return table.send('GetItem', { TableName: 't', Key: {} }).catch((error: Error) => error);
  };
  const one = await refuse('ConditionalCheckFailedException', { message: 'no', Item });
  expect(failedCondition(one)).toEqual({ item });
  const many = await refuse('TransactionCanceledException', {
    Message: 'no',
    CancellationReasons: [{ Code: 'None' }, { Code: 'ConditionalCheckFailed', Item }],
  });
  expect(cancellations(many)).toEqual([
    { code: 'None', item: undefined },
    { code: 'ConditionalCheckFailed', item },
  ]);
  for (const error of [one, many]) expect(JSON.stringify({ ...error })).not.toContain('AQ==');
});

describe('a call is made four times', () => {
  const failures: [what: string, listener: RequestListener, error: object][] = [
    ['a busy service', (_, response) => response.writeHead(503).end('<html>busy</html>'), { name: 'UnknownError' }],
    [
      'a throttled one',
      (_, response) => response.writeHead(400).end('{"__type":"ThrottlingException"}'),
      { name: 'ThrottlingException' },
    ],
    ['a broken connection', (request) => request.socket.destroy(), { code: 'ECONNRESET' }],
    [
      'an answer that breaks off',
      (_, response) => {
        response.writeHead(200, { 'content-length': '9' });
        response.write('{', () => response.socket?.destroy());
      },
      { code: 'ECONNRESET' },
    ],
  ];
  test.each(failures)('%s', async (_, listener, error) => {
    let times = 0;
    answer = (...exchange) => {
      times += 1;
      listener(...exchange);
    };
    const failed = await aws.call(queues).catch((error: unknown) => error);
    expect(failed).toMatchObject(error);
    expect(isPassing(failed)).toBe(true);
    expect(times).toBe(4);
    answer = (_, response) => {
      times += 1;
      if (times % 2) listener(_, response);
      else response.end('{"a":1}');
    };
    expect(await aws.call(queues)).toEqual({ a: 1 });
  });

  test('nobody who listens', async () => {
    const { port } = await new Promise<AddressInfo>((resolve) => {
      const gone = createTcpServer().listen(0, '127.0.0.1', () => {
        const address = gone.address() as AddressInfo;
        gone.close(() => resolve(address));
      });
    });
    listenAt(port);
    const failed = await aws.call(queues).catch((error: unknown) => error);
    listenAt((server.address() as AddressInfo).port);
    expect(failureOf(failed)).toMatchObject({ code: 'ECONNREFUSED' });
    expect(isPassing(failed)).toBe(true);
  });
});

test('silence is waited for no longer than the caller wants, and then the call is not made again', async () => {
  let times = 0;
  answer = () => {
    times += 1;
  };
  const failed = await aws.call(queues, AbortSignal.timeout(50)).catch((error: unknown) => error);
  expect(failed).toMatchObject({ name: 'AbortError' });
  expect(times).toBe(1);
});

test('silence is a failure that may pass, after five seconds', async () => {
  answer = () => {};
  const failed = await aws.attempt(queues).catch((error: unknown) => error);
  expect(failed).toMatchObject({ name: 'TimeoutError', message: 'sqs did not answer in time' });
  expect(isPassing(failed)).toBe(true);
});

test('an object that S3 refuses for want of a permission is not one that is missing', () => {
  const named = (name: string) => Object.assign(new Error(name), { name });
  expect([isMissing(missing()), isMissing(named('AccessDenied'))]).toEqual([true, false]);
});
