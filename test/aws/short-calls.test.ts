import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isMissing, isPassing, missing } from '#lib/aws/aws.ts';
import { cancellations, dynamodb, failedCondition } from '#lib/table/client.ts';
import { redirect } from '#test/endpoints.ts';

let server: Server;
let answer: RequestListener;

let restore: () => void;
const listenAt = (port: number) => redirect('DYNAMODB', `http://127.0.0.1:${port}`);
beforeAll(async () => {
  server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  restore = listenAt((server.address() as AddressInfo).port);
});
afterAll(() => {
  restore();
  server.closeAllConnections();
  server.close();
});

const input = { TableName: 't', Key: { pk: '1' } };
const read = (signal?: AbortSignal) => dynamodb.send('GetItem', input, signal);
const failureOf = (call: Promise<unknown>) => call.catch((error: unknown) => error);

test('the item of a failed condition has plain values and is not printed with the error', async () => {
  const Item = { pk: { S: '1' }, bytes: { B: 'AQ==' }, count: { N: '7' } };
  const refuse = (name: string, contents: object) => {
    answer = (_, response) =>
      response.writeHead(400).end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, ...contents }));
    return failureOf(read());
  };
  const isItem = (item: Record<string, unknown> | undefined) => {
    expect(item).toMatchObject({ pk: '1', count: 7 });
    expect(Buffer.from(item?.['bytes'] as Uint8Array).toString('hex')).toBe('01');
  };
  const one = await refuse('ConditionalCheckFailedException', { message: 'no', Item });
  isItem(failedCondition(one)?.item);
  const many = await refuse('TransactionCanceledException', {
    Message: 'no',
    CancellationReasons: [{ Code: 'None' }, { Code: 'ConditionalCheckFailed', Item }],
  });
  const [none, failed] = cancellations(many);
  expect(none).toEqual({ code: 'None', item: undefined });
  expect(failed?.code).toBe('ConditionalCheckFailed');
  isItem(failed?.item);
  for (const error of [one, many]) expect(JSON.stringify({ ...(error as Error) })).not.toMatch(/AQ==|bytes/);
});

describe('a call is made four times', () => {
  const refusing = (status: number, body: string): RequestListener => {
    return (_, response) => response.writeHead(status).end(body);
  };
  const failures: [what: string, listener: RequestListener, error: object][] = [
    ['a busy service', refusing(503, '<html>busy</html>'), { $metadata: { httpStatusCode: 503 } }],
    ['a throttled one', refusing(400, '{"__type":"ThrottlingException"}'), { name: 'ThrottlingException' }],
    [
      'an item in the transaction of somebody else',
      refusing(400, '{"__type":"TransactionConflictException"}'),
      { name: 'TransactionConflictException' },
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
    const failed = await failureOf(read());
    expect(failed).toMatchObject(error);
    expect(isPassing(failed)).toBe(true);
    expect(times).toBe(4);
    answer = (_, response) => {
      times += 1;
      if (times % 2) listener(_, response);
      else response.end('{"Item":{"a":{"N":"1"}}}');
    };
    expect(await read()).toMatchObject({ Item: { a: 1 } });
  });

  test('nobody who listens', async () => {
    const { port } = await new Promise<AddressInfo>((resolve) => {
      const gone = createTcpServer().listen(0, '127.0.0.1', () => {
        const address = gone.address() as AddressInfo;
        gone.close(() => resolve(address));
      });
    });
    const back = listenAt(port);
    const failed = await failureOf(read());
    back();
    expect(failed).toMatchObject({ code: 'ECONNREFUSED', $metadata: { attempts: 4 } });
    expect(isPassing(failed)).toBe(true);
  });
});

test('a call ends when its caller has waited long enough, and is not made again', async () => {
  let times = 0;
  answer = () => {
    times += 1;
  };
  expect(await failureOf(read(AbortSignal.timeout(50)))).toMatchObject({ name: 'AbortError' });
  expect(times).toBe(1);
});

test('an attempt without an answer ends after five seconds, and the next one is made', async () => {
  let times = 0;
  answer = (_, response) => {
    times += 1;
    if (times > 1) response.end('{}');
  };
  const startedMs = Date.now();
  await read();
  expect(times).toBe(2);
  expect(Date.now() - startedMs).toBeGreaterThan(4_900);
});

test('values are sent as they are, without those that are undefined', async () => {
  let body = '';
  answer = async (request, response) => {
    body = await text(request);
    response.end('{}');
  };
  const bytes = Buffer.from('0123456789').subarray(3, 5);
  const Item = {
    a: undefined,
    b: [undefined, 1],
    c: { d: undefined },
    e: null,
    f: '',
    g: 2 ** 60,
    bytes,
  };
  await dynamodb.send('PutItem', { TableName: 't', Item });
  expect(JSON.parse(body)).toEqual({
    TableName: 't',
    ReturnConsumedCapacity: 'TOTAL',
    Item: {
      b: { L: [{ N: '1' }] },
      c: { M: {} },
      e: { NULL: true },
      f: { S: '' },
      g: { N: '1152921504606847000' },
      bytes: { B: Buffer.from('34').toString('base64') },
    },
  });
  const wrong = { pk: '1', wrong: Number.NaN };
  await expect(dynamodb.send('PutItem', { TableName: 't', Item: wrong })).rejects.toThrow('NaN');
});

test('numbers above 2^53 are read as the next one', async () => {
  answer = (_, response) => response.end('{"Item":{"n":{"N":"90071992547409931"},"m":{"N":"1E+21"}}}');
  expect((await read()).Item).toEqual({ n: 90071992547409940, m: 1e21 });
});

test('an object that S3 refuses for want of a permission is not one that is missing', () => {
  const named = (name: string) => Object.assign(new Error(name), { name });
  expect([isMissing(missing()), isMissing(named('AccessDenied'))]).toEqual([true, false]);
});
