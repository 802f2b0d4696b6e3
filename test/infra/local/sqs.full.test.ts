import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListDeadLetterSourceQueuesCommand,
  ListMessageMoveTasksCommand,
  ListQueuesCommand,
  type Message,
  PurgeQueueCommand,
  type QueueAttributeName,
  QueueDoesNotExist,
  ReceiptHandleIsInvalid,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SendMessageCommandInput,
  SetQueueAttributesCommand,
  SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type LocalSqs, startSqs } from '#infra/local/sqs.ts';

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
  return local.createQueue(`queue-${queueCount}${attributes['FifoQueue'] ? '.fifo' : ''}`, attributes);
}

function queueWithDeadLetters(maxReceiveCount: number, attributes: Record<string, unknown> = {}) {
  const deadLetters = newQueue(attributes);
  const queue = newQueue({
    ...attributes,
    RedrivePolicy: { deadLetterTargetArn: deadLetters.arn, maxReceiveCount },
  });
  return { queue, deadLetters };
}

const send = (QueueUrl: string, MessageBody: string, more: Partial<SendMessageCommandInput> = {}) =>
  sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, ...more }));

async function receive(QueueUrl: string, more: Partial<ReceiveMessageCommandInput> = {}): Promise<Message[]> {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl, MessageSystemAttributeNames: ['All'], ...more }),
  );
  return Messages;
}

async function receiveOne(QueueUrl: string, more: Partial<ReceiveMessageCommandInput> = {}) {
  const [message] = await receive(QueueUrl, { WaitTimeSeconds: 5, ...more });
  if (!message?.ReceiptHandle) throw new Error('no message came');
  return { ...message, ReceiptHandle: message.ReceiptHandle };
}

const bodies = (messages: Message[]) => messages.map(({ Body }) => Body);

const attributesOf = async (QueueUrl: string, ...AttributeNames: QueueAttributeName[]) =>
  (await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }))).Attributes ?? {};

describe('queues', () => {
  test('a queue created over the wire is found by name, listed, and shows its attributes', async () => {
    const { QueueUrl } = await sqs.send(
      new CreateQueueCommand({ QueueName: 'wire-made', Attributes: { VisibilityTimeout: '90' } }),
    );
    expect(QueueUrl).toBe(`${local.url}/${accountId}/wire-made`);
    expect((await sqs.send(new GetQueueUrlCommand({ QueueName: 'wire-made' }))).QueueUrl).toBe(QueueUrl);
    expect((await sqs.send(new ListQueuesCommand({ QueueNamePrefix: 'wire' }))).QueueUrls).toEqual([QueueUrl]);
    expect(await attributesOf(QueueUrl as string, 'All')).toMatchObject({
      QueueArn: `arn:aws:sqs:${region}:${accountId}:wire-made`,
      VisibilityTimeout: '90',
      DelaySeconds: '0',
      MessageRetentionPeriod: '345600',
      MaximumMessageSize: '1048576',
      ApproximateNumberOfMessages: '0',
    });
  });

  test('creating a queue again answers the same URL, and QueueNameExists when an attribute differs', async () => {
    const create = (VisibilityTimeout: string) =>
      sqs.send(new CreateQueueCommand({ QueueName: 'twice', Attributes: { VisibilityTimeout } }));
    expect((await create('40')).QueueUrl).toBe((await create('40')).QueueUrl);
    await expect(create('41')).rejects.toMatchObject({ name: 'QueueNameExists' });
  });

  test('queues are listed in pages', async () => {
    for (const name of ['paged-1', 'paged-2', 'paged-3']) local.createQueue(name);
    const input = { QueueNamePrefix: 'paged-', MaxResults: 2 };
    const first = await sqs.send(new ListQueuesCommand(input));
    const second = await sqs.send(new ListQueuesCommand({ ...input, NextToken: first.NextToken as string }));
    expect(first.QueueUrls).toHaveLength(2);
    expect(second.QueueUrls).toEqual([expect.stringMatching(/paged-3$/)]);
    expect(second.NextToken).toBeUndefined();
  });

  test('a queue that does not exist is refused with the modelled error and the older query code', async () => {
    const error = await send(`${local.url}/${accountId}/nowhere`, 'x').catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(QueueDoesNotExist);
    expect(error).toMatchObject({
      message: 'The specified queue does not exist.',
      Code: 'AWS.SimpleQueueService.NonExistentQueue',
      $metadata: { httpStatusCode: 400 },
    });
  });

  test('a deleted queue is gone', async () => {
    const queue = newQueue();
    await sqs.send(new DeleteQueueCommand({ QueueUrl: queue.url }));
    await expect(send(queue.url, 'x')).rejects.toBeInstanceOf(QueueDoesNotExist);
  });

  test.each<[string, Record<string, string>, string]>([
    ['an unknown attribute', { Nonsense: '1' }, 'InvalidAttributeName'],
    ['a value out of range', { VisibilityTimeout: '43201' }, 'InvalidAttributeValue'],
    [
      'a redrive policy without a dead-letter queue',
      { RedrivePolicy: '{"maxReceiveCount":3}' },
      'InvalidParameterValue',
    ],
    [
      'a dead-letter queue that does not exist',
      { RedrivePolicy: `{"deadLetterTargetArn":"arn:aws:sqs:${region}:${accountId}:none","maxReceiveCount":3}` },
      'InvalidParameterValue',
    ],
  ])('%s is refused', async (_case, Attributes, name) => {
    const { url } = newQueue();
    await expect(sqs.send(new SetQueueAttributesCommand({ QueueUrl: url, Attributes }))).rejects.toMatchObject({
      name,
    });
  });
});

describe('messages', () => {
  test('a message arrives with its body, attributes, digests and system attributes, and stays away once deleted', async () => {
    const { url } = newQueue();
    const MessageAttributes = {
      Kind: { DataType: 'String', StringValue: 'tést' },
      Count: { DataType: 'Number', StringValue: '7' },
      Blob: { DataType: 'Binary', BinaryValue: Uint8Array.of(1, 2, 255) },
    };
    const sent = await send(url, 'hello ✓', { MessageAttributes });
    const message = await receiveOne(url, { MessageAttributeNames: ['All'] });
    expect(message).toMatchObject({ MessageId: sent.MessageId, Body: 'hello ✓', MessageAttributes });
    expect(message.MD5OfMessageAttributes).toBe(sent.MD5OfMessageAttributes);
    expect(message.Attributes).toMatchObject({
      ApproximateReceiveCount: '1',
      SentTimestamp: expect.stringMatching(/^\d{13}$/),
      ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
    });
    await sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: message.ReceiptHandle }));
    await sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: message.ReceiptHandle }));
    expect(await attributesOf(url, 'ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible')).toEqual({
      ApproximateNumberOfMessages: '0',
      ApproximateNumberOfMessagesNotVisible: '0',
    });
  });

  test('the digest of message attributes is the one SQS documents', async () => {
    const { url } = newQueue();
    const sent = await send(url, 'x', {
      MessageAttributes: {
        b: { DataType: 'Number', StringValue: '1' },
        a: { DataType: 'String', StringValue: 'v' },
      },
    });
    // From the documented algorithm, computed independently over these two attributes.
    expect(sent.MD5OfMessageAttributes).toBe('349bd5f750b220c9cac2ef72a567d8a5');
  });

  test('only the attributes asked for are returned, by name or by prefix', async () => {
    const { url } = newQueue();
    const value = { DataType: 'String', StringValue: 'v' };
    await send(url, 'x', { MessageAttributes: { 'app.one': value, 'app.two': value, other: value } });
    const names = async (...MessageAttributeNames: string[]) => {
      const [message] = await receive(url, { MessageAttributeNames, VisibilityTimeout: 0 });
      return Object.keys(message?.MessageAttributes ?? {}).sort();
    };
    expect(await names('app.*')).toEqual(['app.one', 'app.two']);
    expect(await names('other')).toEqual(['other']);
    expect(await names()).toEqual([]);
  });

  test('an unreceived queue answers without messages', async () => {
    const { url } = newQueue();
    const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: url }));
    expect(Messages).toBeUndefined();
  });

  test('a message that is not deleted comes back after its visibility timeout, counted again', async () => {
    const { url } = newQueue({ VisibilityTimeout: 1 });
    await send(url, 'again');
    await receiveOne(url);
    expect(await receive(url)).toEqual([]);
    const second = await receiveOne(url);
    expect(second.Attributes?.ApproximateReceiveCount).toBe('2');
  });

  test('a visibility of 0 returns a message at once, and a longer one keeps it away', async () => {
    const { url } = newQueue({ VisibilityTimeout: 1 });
    await send(url, 'held');
    const change = (ReceiptHandle: string, VisibilityTimeout: number) =>
      sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle, VisibilityTimeout }));
    const first = await receiveOne(url);
    await change(first.ReceiptHandle, 0);
    const [second] = await receive(url);
    await change(second?.ReceiptHandle as string, 100);
    expect(await receive(url, { WaitTimeSeconds: 2 })).toEqual([]);
  });

  test('the delay of a message, or else of its queue, holds it back', async () => {
    const { url } = newQueue({ DelaySeconds: 1 });
    await send(url, 'default');
    await send(url, 'now', { DelaySeconds: 0 });
    await send(url, 'later', { DelaySeconds: 900 });
    expect(await attributesOf(url, 'ApproximateNumberOfMessagesDelayed')).toEqual({
      ApproximateNumberOfMessagesDelayed: '2',
    });
    expect(bodies(await receive(url, { MaxNumberOfMessages: 10 }))).toEqual(['now']);
    expect(bodies(await receive(url, { MaxNumberOfMessages: 10, WaitTimeSeconds: 5 }))).toEqual(['default']);
  });

  test('a waiting receive gets a message sent meanwhile, and a caller that hung up takes none', async () => {
    const { url } = newQueue();
    const gone = new AbortController();
    const abandoned = sqs.send(new ReceiveMessageCommand({ QueueUrl: url, WaitTimeSeconds: 20 }), {
      abortSignal: gone.signal,
    });
    setTimeout(() => gone.abort(), 200);
    await expect(abandoned).rejects.toMatchObject({ name: 'AbortError' });
    const waiting = receiveOne(url, { WaitTimeSeconds: 20 });
    await send(url, 'for the one who stayed');
    expect((await waiting).Body).toBe('for the one who stayed');
  });

  test('messages past their retention period are dropped', async () => {
    const queue = newQueue();
    queue.send('old');
    for (const message of queue.visibleMessages()) message.sentAt -= 345_600_000;
    expect(await receive(queue.url)).toEqual([]);
    expect(queue.counts().visible).toBe(0);
  });

  test('purging empties a queue and is refused again within a minute', async () => {
    const { url } = newQueue();
    await send(url, 'x');
    await sqs.send(new PurgeQueueCommand({ QueueUrl: url }));
    expect(await receive(url)).toEqual([]);
    await expect(sqs.send(new PurgeQueueCommand({ QueueUrl: url }))).rejects.toMatchObject({
      name: 'PurgeQueueInProgress',
    });
  });

  test.each<[string, Partial<SendMessageCommandInput>, string]>([
    ['an empty body', { MessageBody: '' }, 'MissingParameter'],
    ['a body with a NUL character', { MessageBody: 'a\u0000b' }, 'InvalidMessageContents'],
    ['a body over 1 MiB', { MessageBody: 'x'.repeat(1_048_577) }, 'InvalidParameterValue'],
    ['a delay over 15 minutes', { DelaySeconds: 901 }, 'InvalidParameterValue'],
    ['a deduplication id on a standard queue', { MessageDeduplicationId: 'd' }, 'InvalidParameterValue'],
    ['a group id with a space', { MessageGroupId: 'a b' }, 'InvalidParameterValue'],
    [
      'an attribute of no known type',
      { MessageAttributes: { a: { DataType: 'Stringy', StringValue: 'v' } } },
      'InvalidParameterValue',
    ],
    [
      'an attribute without a value',
      { MessageAttributes: { a: { DataType: 'String', StringValue: '' } } },
      'InvalidParameterValue',
    ],
  ])('%s is refused', async (_case, input, name) => {
    const { url } = newQueue();
    await expect(send(url, 'x', input)).rejects.toMatchObject({ name, $metadata: { httpStatusCode: 400 } });
  });

  test.each<[string, Partial<ReceiveMessageCommandInput>]>([
    ['more than 10 messages', { MaxNumberOfMessages: 11 }],
    ['a wait over 20 seconds', { WaitTimeSeconds: 21 }],
    ['a visibility over 12 hours', { VisibilityTimeout: 43_201 }],
  ])('asking for %s is refused', async (_case, input) => {
    const { url } = newQueue();
    await expect(receive(url, input)).rejects.toMatchObject({ name: 'InvalidParameterValue' });
  });

  test('a receipt handle that no receive gave out is refused, and one of a deleted message cannot be extended', async () => {
    const { url } = newQueue();
    const invalid = new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: 'made-up' });
    await expect(sqs.send(invalid)).rejects.toBeInstanceOf(ReceiptHandleIsInvalid);
    await send(url, 'x');
    const { ReceiptHandle } = await receiveOne(url);
    await sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle }));
    const late = new ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle, VisibilityTimeout: 5 });
    await expect(sqs.send(late)).rejects.toMatchObject({ name: 'InvalidParameterValue' });
  });
});

describe('batches', () => {
  test('a batch answers per entry, so one bad entry does not stop the others', async () => {
    const { url } = newQueue();
    const result = await sqs.send(
      new SendMessageBatchCommand({
        QueueUrl: url,
        Entries: [
          { Id: 'good', MessageBody: 'a' },
          { Id: 'bad', MessageBody: 'b', DelaySeconds: 901 },
        ],
      }),
    );
    expect(result.Successful?.map(({ Id }) => Id)).toEqual(['good']);
    expect(result.Failed).toMatchObject([{ Id: 'bad', SenderFault: true, Code: 'InvalidParameterValue' }]);
  });

  test('a batch reaches a waiting receive as a batch, is extended and deleted as one', async () => {
    const { url } = newQueue({ VisibilityTimeout: 1 });
    const Entries = Array.from({ length: 10 }, (_, i) => ({ Id: `m${i}`, MessageBody: `body ${i}` }));
    const waiting = receive(url, { MaxNumberOfMessages: 10, WaitTimeSeconds: 20 });
    const sent = await sqs.send(new SendMessageBatchCommand({ QueueUrl: url, Entries }));
    expect(sent.Failed).toBeUndefined();
    const messages = await waiting;
    expect(bodies(messages)).toEqual(Entries.map(({ MessageBody }) => MessageBody));
    const handles = messages.map(({ ReceiptHandle }, i) => ({ Id: `m${i}`, ReceiptHandle }));
    const extended = await sqs.send(
      new ChangeMessageVisibilityBatchCommand({
        QueueUrl: url,
        Entries: handles.map((handle) => ({ ...handle, VisibilityTimeout: 100 })),
      }),
    );
    expect(extended.Successful).toHaveLength(10);
    const deleted = await sqs.send(
      new DeleteMessageBatchCommand({
        QueueUrl: url,
        Entries: [...handles.slice(1), { Id: 'm0', ReceiptHandle: '?' }],
      }),
    );
    expect(deleted.Successful).toHaveLength(9);
    expect(deleted.Failed).toMatchObject([{ Id: 'm0', Code: 'ReceiptHandleIsInvalid' }]);
  });

  const entries = (...ids: string[]) => ids.map((Id) => ({ Id, MessageBody: 'x' }));
  test.each([
    ['no entries', [], 'EmptyBatchRequest'],
    ['eleven entries', entries(...'abcdefghijk'), 'TooManyEntriesInBatchRequest'],
    ['an id twice', entries('a', 'a'), 'BatchEntryIdsNotDistinct'],
    ['an id with a space', entries('a b'), 'InvalidBatchEntryId'],
    [
      'more than 1 MiB together',
      entries('a', 'b').map((entry) => ({ ...entry, MessageBody: 'x'.repeat(600_000) })),
      'BatchRequestTooLong',
    ],
  ])('a batch with %s is refused as a whole', async (_case, Entries, name) => {
    const { url } = newQueue();
    await expect(sqs.send(new SendMessageBatchCommand({ QueueUrl: url, Entries }))).rejects.toMatchObject({ name });
    expect(await receive(url)).toEqual([]);
  });
});

describe('dead letters', () => {
  test('a message received too often moves to the dead-letter queue and says where it came from', async () => {
    const { queue, deadLetters } = queueWithDeadLetters(2);
    const sent = await send(queue.url, 'poison');
    await receiveOne(queue.url, { VisibilityTimeout: 0 });
    await receiveOne(queue.url, { VisibilityTimeout: 0 });
    expect(await receive(queue.url)).toEqual([]);
    const dead = await receiveOne(deadLetters.url);
    expect(dead).toMatchObject({
      MessageId: sent.MessageId,
      Body: 'poison',
      Attributes: { DeadLetterQueueSourceArn: queue.arn, ApproximateReceiveCount: '3' },
    });
    const sources = await sqs.send(new ListDeadLetterSourceQueuesCommand({ QueueUrl: deadLetters.url }));
    expect(sources.queueUrls).toEqual([queue.url]);
  });

  test('a move task brings dead letters back to their source as new messages', async () => {
    const { queue, deadLetters } = queueWithDeadLetters(1);
    const sent = await send(queue.url, 'retry me');
    await receiveOne(queue.url, { VisibilityTimeout: 0 });
    expect(await receive(queue.url)).toEqual([]);
    const started = await sqs.send(new StartMessageMoveTaskCommand({ SourceArn: deadLetters.arn }));
    expect(started.TaskHandle).toBeTypeOf('string');
    const again = await receiveOne(queue.url);
    expect(again).toMatchObject({ Body: 'retry me', Attributes: { ApproximateReceiveCount: '1' } });
    expect(again.MessageId).not.toBe(sent.MessageId);
    const { Results } = await sqs.send(new ListMessageMoveTasksCommand({ SourceArn: deadLetters.arn }));
    expect(Results).toMatchObject([{ Status: 'COMPLETED', ApproximateNumberOfMessagesMoved: 1 }]);
  });

  test('a message sent straight to a dead-letter queue has no source to go back to', async () => {
    const { deadLetters } = queueWithDeadLetters(1);
    await send(deadLetters.url, 'stray');
    await sqs.send(new StartMessageMoveTaskCommand({ SourceArn: deadLetters.arn }));
    const { Results } = await sqs.send(new ListMessageMoveTasksCommand({ SourceArn: deadLetters.arn }));
    expect(Results).toMatchObject([{ Status: 'FAILED', FailureReason: 'CouldNotDetermineMessageSource' }]);
    expect(deadLetters.counts().visible).toBe(1);
  });

  test('moving from a queue that is nobody’s dead-letter queue is refused', async () => {
    const { arn } = newQueue();
    await expect(sqs.send(new StartMessageMoveTaskCommand({ SourceArn: arn }))).rejects.toMatchObject({
      name: 'InvalidParameterValue',
    });
    await expect(sqs.send(new StartMessageMoveTaskCommand({ SourceArn: `${arn}-none` }))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });
});

describe('message groups', () => {
  test('a standard queue serves the group with fewest in flight first', async () => {
    const { url } = newQueue();
    for (let i = 0; i < 6; i += 1) await send(url, `noisy ${i}`, { MessageGroupId: 'noisy' });
    await send(url, 'quiet', { MessageGroupId: 'quiet' });
    await receive(url, { MaxNumberOfMessages: 1 });
    const [next] = await receive(url);
    expect(next).toMatchObject({ Body: 'quiet', Attributes: { MessageGroupId: 'quiet' } });
    expect(await receive(url, { MaxNumberOfMessages: 10 })).toHaveLength(5);
  });

  test('a FIFO group is delivered in order and waits while some of it is in flight; other groups go on', async () => {
    const { url } = newQueue({ FifoQueue: true, ContentBasedDeduplication: true });
    for (const body of ['a1', 'a2', 'a3']) await send(url, body, { MessageGroupId: 'a' });
    await send(url, 'b1', { MessageGroupId: 'b' });
    const first = await receive(url, { MaxNumberOfMessages: 2 });
    expect(bodies(first)).toEqual(['a1', 'a2']);
    expect(first[0]?.Attributes?.SequenceNumber).toMatch(/^\d{20}$/);
    expect(bodies(await receive(url, { MaxNumberOfMessages: 10 }))).toEqual(['b1']);
    const [a1, a2] = first.map(({ ReceiptHandle }) => ReceiptHandle as string);
    await sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: a1 }));
    expect(await receive(url)).toEqual([]);
    const rest = receive(url, { MaxNumberOfMessages: 10, WaitTimeSeconds: 20 });
    await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle: a2, VisibilityTimeout: 0 }));
    expect(bodies(await rest)).toEqual(['a2', 'a3']);
  });

  test('a FIFO queue takes a deduplication id once in five minutes and answers the first message’s id', async () => {
    const queue = newQueue({ FifoQueue: true });
    const group = { MessageGroupId: 'g', MessageDeduplicationId: 'same' };
    const first = await send(queue.url, 'one', group);
    const second = await send(queue.url, 'two', group);
    expect(second).toMatchObject({ MessageId: first.MessageId, SequenceNumber: first.SequenceNumber });
    expect(queue.counts().visible).toBe(1);
  });

  test('after five minutes a FIFO queue takes the same deduplication id again', () => {
    const queue = newQueue({ FifoQueue: true });
    const options = { messageGroupId: 'g', deduplicationId: 'same' };
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const first = queue.send('one', options);
      vi.setSystemTime(Date.now() + 299_000);
      expect(queue.send('two', options)).toMatchObject({ messageId: first.messageId });
      vi.setSystemTime(Date.now() + 1000);
      expect(queue.send('three', options).messageId).not.toBe(first.messageId);
    } finally {
      vi.useRealTimers();
    }
  });

  test.each<[string, Partial<SendMessageCommandInput>, string]>([
    ['without a group', { MessageDeduplicationId: 'd' }, 'MissingParameter'],
    ['without a deduplication id', { MessageGroupId: 'g' }, 'InvalidParameterValue'],
    [
      'with a delay of its own',
      { MessageGroupId: 'g', MessageDeduplicationId: 'd', DelaySeconds: 1 },
      'InvalidParameterValue',
    ],
  ])('a FIFO queue refuses a message %s', async (_case, input, name) => {
    const { url } = newQueue({ FifoQueue: true });
    await expect(send(url, 'x', input)).rejects.toMatchObject({ name });
  });

  test('a FIFO queue refuses to delete with the handle of a receive that is over', async () => {
    const { url } = newQueue({ FifoQueue: true, ContentBasedDeduplication: true });
    await send(url, 'x', { MessageGroupId: 'g' });
    const { ReceiptHandle } = await receiveOne(url, { VisibilityTimeout: 0 });
    await expect(sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle }))).rejects.toMatchObject({
      name: 'InvalidParameterValue',
      message: expect.stringContaining('The receipt handle has expired'),
    });
  });
});

describe('in process', () => {
  test('an event-source mapping receives Lambda records, releases one and deletes the other', async () => {
    const queue = newQueue({ VisibilityTimeout: 60 });
    const waiting = queue.receiveRecords({ maxMessages: 10, waitSeconds: 20 });
    local.send(queue.arn, 'one', {
      messageGroupId: 'tenant',
      attributes: { Kind: { DataType: 'String', StringValue: 'k' } },
    });
    local.send(queue.arn, 'two');
    const [one, two] = await waiting;
    expect(one).toMatchObject({
      body: 'one',
      attributes: { ApproximateReceiveCount: '1', MessageGroupId: 'tenant' },
      messageAttributes: { Kind: { dataType: 'String', stringValue: 'k' } },
      md5OfBody: 'f97c5d29941bfb1b2fdab0874906ab82',
      eventSource: 'aws:sqs',
      eventSourceARN: queue.arn,
      awsRegion: region,
    });
    expect(queue.counts()).toEqual({ visible: 0, inFlight: 2, delayed: 0 });
    queue.delete(one?.receiptHandle as string);
    queue.changeVisibility(two?.receiptHandle as string, 0);
    expect(queue.counts()).toEqual({ visible: 1, inFlight: 0, delayed: 0 });
    expect(local.queueByArn(queue.arn)).toBe(queue);
  });

  test('a wait that is called off takes nothing', async () => {
    const queue = newQueue();
    const gone = new AbortController();
    const waiting = queue.receiveRecords({ waitSeconds: 20, signal: gone.signal });
    gone.abort();
    expect(await waiting).toEqual([]);
    queue.send('still here');
    expect(queue.counts().visible).toBe(1);
  });

  test('sending to a queue that does not exist throws', () => {
    expect(() => local.send('arn:aws:sqs:eu-central-1:123456789012:none', 'x')).toThrow('does not exist');
  });
});
