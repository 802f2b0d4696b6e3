import {
  GetQueueAttributesCommand,
  ListMessageMoveTasksCommand,
  type QueueAttributeName,
  QueueDoesNotExist,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type LocalQueue, type LocalSqs, startSqs } from '#infra/local/sqs.ts';

const region = 'eu-central-1';
const accountId = '123456789012';
let local: LocalSqs;
let sqs: SQSClient;
let queueCount = 0;

beforeAll(async () => {
  local = await startSqs({ host: '127.0.0.1', port: 0, accessKeyId: 'any', accountId, region });
  sqs = new SQSClient({ region, endpoint: local.url, credentials: { accessKeyId: 'any', secretAccessKey: 'any' } });
});

afterAll(async () => {
  sqs.destroy();
  await local.close();
});

function newQueue(attributes: Record<string, unknown> = {}) {
  queueCount += 1;
  return local.createQueue(`queue-${queueCount}`, attributes);
}

function queueWithDeadLetters(maxReceiveCount: number) {
  const deadLetters = newQueue();
  const queue = newQueue({
    VisibilityTimeout: 1,
    RedrivePolicy: { deadLetterTargetArn: deadLetters.arn, maxReceiveCount },
  });
  return { queue, deadLetters };
}

const send = (QueueUrl: string, ...entries: Partial<SendMessageBatchRequestEntry>[]) => {
  const Entries = entries.map((entry, index) => ({ Id: `m${index}`, MessageBody: 'x', ...entry }));
  return sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
};
const receive = (queue: LocalQueue, maxMessages = 10, waitSeconds = 0) =>
  queue.receiveRecords({ maxMessages, waitSeconds });
const bodiesOf = async (received: ReturnType<typeof receive>) => (await received).map(({ body }) => body);
const attributesOf = async (QueueUrl: string, ...AttributeNames: QueueAttributeName[]) =>
  (await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }))).Attributes;

describe('a queue', () => {
  test('shows its attributes, and has those of the template that comes later', async () => {
    const queue = newQueue({ VisibilityTimeout: 90 });
    expect(await attributesOf(queue.url, 'All')).toMatchObject({
      QueueArn: queue.arn,
      VisibilityTimeout: '90',
      MessageRetentionPeriod: '345600',
      ApproximateNumberOfMessages: '0',
    });
    expect(local.createQueue(queue.name, { VisibilityTimeout: 91 })).toBe(queue);
    expect(await attributesOf(queue.url, 'VisibilityTimeout')).toEqual({ VisibilityTimeout: '91' });
  });

  test('is refused with the modeled error and the older query code when it does not exist', async () => {
    const error = await send(`${local.url}/${accountId}/nowhere`, {}).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(QueueDoesNotExist);
    expect(error).toMatchObject({
      Code: 'AWS.SimpleQueueService.NonExistentQueue',
      $metadata: { httpStatusCode: 400 },
    });
    expect(() => local.send(`arn:aws:sqs:${region}:${accountId}:none`, 'x')).toThrow('does not exist');
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['an unknown attribute', { Nonsense: '1' }, 'Unknown Attribute'],
    ['a value out of range', { VisibilityTimeout: '43201' }, 'Invalid value'],
    ['a redrive policy without a dead-letter queue', { RedrivePolicy: { maxReceiveCount: 3 } }, 'RedrivePolicy'],
    [
      'a dead-letter queue that does not exist',
      { RedrivePolicy: { deadLetterTargetArn: 'arn:aws:sqs:eu-central-1:123456789012:none', maxReceiveCount: 3 } },
      'does not exist',
    ],
  ])('with %s is refused', (_case, attributes, message) => {
    expect(() => newQueue(attributes)).toThrow(message);
  });
});

describe('a message', () => {
  test('arrives as Lambda shows it, and stays away once deleted', async () => {
    const queue = newQueue();
    const { Successful } = await send(queue.url, { MessageBody: 'hello ✓', MessageGroupId: 'tenant' });
    const [record] = await receive(queue);
    expect(record).toMatchObject({
      messageId: Successful?.[0]?.MessageId,
      body: 'hello ✓',
      attributes: {
        ApproximateReceiveCount: '1',
        MessageGroupId: 'tenant',
        SentTimestamp: expect.stringMatching(/^\d{13}$/),
      },
      md5OfBody: Successful?.[0]?.MD5OfMessageBody,
      eventSource: 'aws:sqs',
      eventSourceARN: queue.arn,
      awsRegion: region,
    });
    expect(queue.counts()).toEqual({ visible: 0, inFlight: 1, delayed: 0 });
    for (const _time of [1, 2]) queue.delete(record?.receiptHandle as string);
    expect(queue.counts()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });

  test('comes back after its visibility timeout, counted again, when it is not deleted', async () => {
    const queue = newQueue({ VisibilityTimeout: 1 });
    queue.send('again');
    await receive(queue);
    expect(await receive(queue)).toEqual([]);
    const [second] = await receive(queue, 1, 5);
    expect(second?.attributes.ApproximateReceiveCount).toBe('2');
  });

  test('is held back by its delay, or else by that of its queue', async () => {
    const queue = newQueue({ DelaySeconds: 1 });
    await send(
      queue.url,
      { MessageBody: 'default' },
      { MessageBody: 'now', DelaySeconds: 0 },
      { MessageBody: 'later', DelaySeconds: 900 },
    );
    expect(await attributesOf(queue.url, 'ApproximateNumberOfMessagesDelayed')).toEqual({
      ApproximateNumberOfMessagesDelayed: '2',
    });
    expect(await bodiesOf(receive(queue))).toEqual(['now']);
    expect(await bodiesOf(receive(queue, 10, 5))).toEqual(['default']);
  });

  test('is gone after its retention', async () => {
    const queue = newQueue();
    queue.send('old');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 345_600_000 });
    expect(await receive(queue)).toEqual([]);
    vi.useRealTimers();
    expect(queue.counts().visible).toBe(0);
  });

  test('reaches a receive that waits, and not one that was called off', async () => {
    const queue = newQueue();
    const gone = new AbortController();
    const abandoned = queue.receiveRecords({ waitSeconds: 20, signal: gone.signal });
    gone.abort();
    expect(await abandoned).toEqual([]);
    const waiting = receive(queue, 10, 20);
    await send(queue.url, { MessageBody: 'one' }, { MessageBody: 'two' });
    expect(await bodiesOf(waiting)).toEqual(['one', 'two']);
  });

  test('comes first when its group has the fewest in flight', async () => {
    const queue = newQueue();
    for (let index = 0; index < 6; index += 1) queue.send(`noisy ${index}`, { messageGroupId: 'noisy' });
    queue.send('quiet', { messageGroupId: 'quiet' });
    await receive(queue, 1);
    expect(await bodiesOf(receive(queue, 1))).toEqual(['quiet']);
    expect(await receive(queue)).toHaveLength(5);
  });

  test.each<[string, Partial<SendMessageBatchRequestEntry>, string]>([
    ['an empty body', { MessageBody: '' }, 'MissingParameter'],
    ['a NUL character', { MessageBody: 'a\u0000b' }, 'InvalidMessageContents'],
    ['a delay over 15 minutes', { DelaySeconds: 901 }, 'InvalidParameterValue'],
    ['a group id with a space', { MessageGroupId: 'a b' }, 'InvalidParameterValue'],
  ])('with %s is refused, and the others of its batch are taken', async (_case, bad, Code) => {
    const { Successful, Failed } = await send(newQueue().url, {}, bad);
    expect(Successful?.map(({ Id }) => Id)).toEqual(['m0']);
    expect(Failed).toMatchObject([{ Id: 'm1', SenderFault: true, Code }]);
  });
});

test.each<[string, Partial<SendMessageBatchRequestEntry>[], string]>([
  ['no entries', [], 'EmptyBatchRequest'],
  ['eleven entries', Array.from({ length: 11 }, () => ({})), 'TooManyEntriesInBatchRequest'],
  ['an id twice', [{ Id: 'a' }, { Id: 'a' }], 'BatchEntryIdsNotDistinct'],
  ['an id with a space', [{ Id: 'a b' }], 'InvalidBatchEntryId'],
  ['a body over 1 MiB', [{ MessageBody: 'x'.repeat(1_048_577) }], 'BatchRequestTooLong'],
  [
    'more than 1 MiB together',
    ['a', 'b'].map((Id) => ({ Id, MessageBody: 'x'.repeat(600_000) })),
    'BatchRequestTooLong',
  ],
])('a batch with %s is refused as a whole', async (_case, entries, name) => {
  const queue = newQueue();
  await expect(send(queue.url, ...entries)).rejects.toMatchObject({ name });
  expect(queue.counts().visible).toBe(0);
});

describe('dead letters', () => {
  test('are what was received too often, and a move task brings them back as new messages', async () => {
    const { queue, deadLetters } = queueWithDeadLetters(1);
    const id = queue.send('poison');
    expect(await receive(queue)).toHaveLength(1);
    expect(await receive(queue, 10, 2)).toEqual([]);
    expect(deadLetters.visibleMessages()).toMatchObject([{ id, body: 'poison' }]);
    const move = { SourceArn: deadLetters.arn, DestinationArn: queue.arn };
    expect((await sqs.send(new StartMessageMoveTaskCommand(move))).TaskHandle).toBeTypeOf('string');
    const [again] = await receive(queue);
    expect(again).toMatchObject({ body: 'poison', attributes: { ApproximateReceiveCount: '1' } });
    expect(again?.messageId).not.toBe(id);
    const { Results } = await sqs.send(new ListMessageMoveTasksCommand({ SourceArn: deadLetters.arn }));
    expect(Results).toMatchObject([{ Status: 'COMPLETED', ApproximateNumberOfMessagesToMove: 1 }]);
  });

  test('are not moved from a queue that is nobody’s dead-letter queue', async () => {
    const { arn } = newQueue();
    const move = (SourceArn: string) =>
      sqs.send(new StartMessageMoveTaskCommand({ SourceArn, DestinationArn: newQueue().arn }));
    await expect(move(arn)).rejects.toMatchObject({ name: 'InvalidParameterValue' });
    await expect(move(`${arn}-none`)).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });
});
