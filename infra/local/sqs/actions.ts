import type {
  ChangeMessageVisibilityBatchRequest,
  ChangeMessageVisibilityRequest,
  CreateQueueRequest,
  DeleteMessageBatchRequest,
  DeleteMessageRequest,
  GetQueueAttributesRequest,
  GetQueueUrlRequest,
  ListDeadLetterSourceQueuesRequest,
  ListMessageMoveTasksRequest,
  ListQueuesRequest,
  ReceiveMessageRequest,
  SendMessageBatchRequestEntry,
  SendMessageRequest,
  SetQueueAttributesRequest,
  StartMessageMoveTaskRequest,
} from '@aws-sdk/client-sqs';
import { now } from '#lib/core/clock.ts';
import { page } from '../wire.ts';
import { isSettable, maxMessageBytes, unknownAttribute } from './attributes.ts';
import { performBatch } from './batch.ts';
import { prefixedError, required } from './errors.ts';
import { sequenceNumber, systemAttributes } from './lambda-record.ts';
import { attributesMd5, type MessageAttributes, md5, messageBytes, type Received } from './message.ts';
import type { Queue } from './queue.ts';
import type { Queues } from './queues.ts';
import { MoveTasks } from './redrive.ts';

/** On the wire binary values are base64 text. */
type OnWire<Request> = Omit<Request, 'MessageAttributes' | 'MessageSystemAttributes'> & {
  MessageAttributes?: MessageAttributes;
  MessageSystemAttributes?: MessageAttributes;
};

type Entry = OnWire<SendMessageBatchRequestEntry>;

interface OnQueue {
  QueueUrl?: string | undefined;
}

export type Action = (input: never, gone: AbortSignal) => unknown;

const purgeIntervalMs = 60_000;

/** The SQS actions by name, each from its JSON request to its JSON answer. */
export function sqsActions(queues: Queues): Record<string, Action> {
  const moveTasks = new MoveTasks(queues);
  const purgedAt = new WeakMap<Queue, number>();
  const queueOf = ({ QueueUrl }: OnQueue) => queues.byUrl(required(QueueUrl, 'QueueUrl'));

  return {
    CreateQueue: ({ QueueName, Attributes }: CreateQueueRequest) => ({
      QueueUrl: queues.create(required(QueueName, 'QueueName'), Attributes ?? {}).url,
    }),
    DeleteQueue: (input: OnQueue) => queues.delete(queueOf(input)),
    GetQueueUrl: ({ QueueName }: GetQueueUrlRequest) => ({
      QueueUrl: queues.byName(required(QueueName, 'QueueName')).url,
    }),
    ListQueues: ({ QueueNamePrefix = '', MaxResults, NextToken }: ListQueuesRequest) =>
      urlPage(
        'QueueUrls',
        queues.all().filter(({ name }) => name.startsWith(QueueNamePrefix)),
        MaxResults,
        NextToken,
      ),
    ListDeadLetterSourceQueues: (input: ListDeadLetterSourceQueuesRequest) =>
      urlPage('queueUrls', queues.deadLetterSources(queueOf(input)), input.MaxResults, input.NextToken),
    GetQueueAttributes: (input: GetQueueAttributesRequest) => shownAttributes(queueOf(input), input.AttributeNames),
    SetQueueAttributes: (input: SetQueueAttributesRequest) =>
      queues.setAttributes(queueOf(input), required(input.Attributes, 'Attributes')),

    SendMessage: (input: OnWire<SendMessageRequest>) => send(queueOf(input), input),
    SendMessageBatch: (input: OnQueue & { Entries?: Entry[] }) => {
      const queue = queueOf(input);
      checkBatchBytes(input.Entries ?? []);
      return performBatch(input.Entries, 'SendMessageBatchRequestEntry', (entry) => send(queue, entry));
    },
    ReceiveMessage: async (input: ReceiveMessageRequest, gone: AbortSignal) => {
      const queue = queueOf(input);
      const systemNames = [...(input.AttributeNames ?? []), ...(input.MessageSystemAttributeNames ?? [])];
      const received = await queue.receive({
        maxMessages: input.MaxNumberOfMessages,
        visibilitySeconds: input.VisibilityTimeout,
        waitSeconds: input.WaitTimeSeconds,
        signal: gone,
      });
      const Messages = received.map((one) => shownMessage(queue, one, systemNames, input.MessageAttributeNames ?? []));
      return Messages.length > 0 ? { Messages } : {};
    },
    DeleteMessage: (input: DeleteMessageRequest) =>
      queueOf(input).delete(required(input.ReceiptHandle, 'ReceiptHandle')),
    DeleteMessageBatch: (input: DeleteMessageBatchRequest) => {
      const queue = queueOf(input);
      return performBatch(input.Entries, 'DeleteMessageBatchRequestEntry', (entry) => {
        queue.delete(required(entry.ReceiptHandle, 'ReceiptHandle'));
        return {};
      });
    },
    ChangeMessageVisibility: (input: ChangeMessageVisibilityRequest) => changeVisibility(queueOf(input), input),
    ChangeMessageVisibilityBatch: (input: ChangeMessageVisibilityBatchRequest) => {
      const queue = queueOf(input);
      return performBatch(input.Entries, 'ChangeMessageVisibilityBatchRequestEntry', (entry) => {
        changeVisibility(queue, entry);
        return {};
      });
    },
    PurgeQueue: (input: OnQueue) => {
      const queue = queueOf(input);
      if (now() - (purgedAt.get(queue) ?? 0) < purgeIntervalMs) {
        throw prefixedError(
          'PurgeQueueInProgress',
          `Only one PurgeQueue operation on ${queue.name} is allowed every 60 seconds.`,
        );
      }
      purgedAt.set(queue, now());
      queue.purge();
    },

    StartMessageMoveTask: ({ SourceArn, DestinationArn }: StartMessageMoveTaskRequest) => ({
      TaskHandle: moveTasks.start(required(SourceArn, 'SourceArn'), DestinationArn),
    }),
    ListMessageMoveTasks: ({ SourceArn, MaxResults = 1 }: ListMessageMoveTasksRequest) => ({
      Results: moveTasks.of(required(SourceArn, 'SourceArn')).slice(0, MaxResults),
    }),
  };
}

function send(queue: Queue, input: OnWire<SendMessageRequest> | Entry) {
  const { MessageBody, MessageAttributes = {}, MessageSystemAttributes = {} } = input;
  const body = required(MessageBody, 'MessageBody');
  const { messageId, sequence } = queue.send(body, {
    delaySeconds: input.DelaySeconds,
    attributes: MessageAttributes,
    traceHeader: MessageSystemAttributes['AWSTraceHeader']?.StringValue,
    messageGroupId: input.MessageGroupId,
    deduplicationId: input.MessageDeduplicationId,
  });
  return {
    MessageId: messageId,
    MD5OfMessageBody: md5(body),
    MD5OfMessageAttributes: attributesMd5(MessageAttributes),
    MD5OfMessageSystemAttributes: attributesMd5(MessageSystemAttributes),
    SequenceNumber: queue.isFifo ? sequenceNumber(sequence) : undefined,
  };
}

function checkBatchBytes(entries: readonly Entry[]): void {
  const bytes = entries.reduce(
    (sum, entry) => sum + messageBytes(entry.MessageBody ?? '', entry.MessageAttributes ?? {}),
    0,
  );
  if (bytes <= maxMessageBytes) return;
  throw prefixedError(
    'BatchRequestTooLong',
    `Batch requests cannot be longer than ${maxMessageBytes} bytes. You have sent ${bytes} bytes.`,
  );
}

function changeVisibility(
  queue: Queue,
  input: { ReceiptHandle: string | undefined; VisibilityTimeout?: number | undefined },
): void {
  queue.changeVisibility(
    required(input.ReceiptHandle, 'ReceiptHandle'),
    required(input.VisibilityTimeout, 'VisibilityTimeout'),
  );
}

function shownMessage(
  queue: Queue,
  { message, receiptHandle }: Received,
  systemNames: readonly string[],
  names: readonly string[],
) {
  const isAll = systemNames.includes('All');
  const system = Object.entries(systemAttributes(message, queue)).filter(
    ([name]) => isAll || systemNames.includes(name),
  );
  const attributes = Object.fromEntries(
    Object.entries(message.attributes).filter(([name]) => names.some((wanted) => isNamed(name, wanted))),
  );
  const attributesDigest = attributesMd5(attributes);
  return {
    MessageId: message.id,
    ReceiptHandle: receiptHandle,
    MD5OfBody: md5(message.body),
    Body: message.body,
    ...(system.length > 0 && { Attributes: Object.fromEntries(system) }),
    ...(attributesDigest && { MessageAttributes: attributes, MD5OfMessageAttributes: attributesDigest }),
  };
}

function isNamed(name: string, wanted: string): boolean {
  if (wanted === 'All' || wanted === name) return true;
  return wanted.endsWith('.*') && name.startsWith(wanted.slice(0, -2));
}

function shownAttributes(queue: Queue, names: readonly string[] = []): { Attributes?: Record<string, string> } {
  const { visible, inFlight, delayed } = queue.counts();
  const all: Record<string, string> = {
    ...queue.attributes,
    QueueArn: queue.arn,
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: String(inFlight),
    ApproximateNumberOfMessagesDelayed: String(delayed),
    CreatedTimestamp: inSeconds(queue.createdAt),
    LastModifiedTimestamp: inSeconds(queue.modifiedAt),
  };
  const unknown = names.find((name) => name !== 'All' && !(name in all) && !isSettable(name));
  if (unknown !== undefined) throw unknownAttribute(unknown);
  const shown = Object.entries(all).filter(([name, value]) => value && (names.includes('All') || names.includes(name)));
  return shown.length > 0 ? { Attributes: Object.fromEntries(shown) } : {};
}

const inSeconds = (timestampMs: number) => String(Math.floor(timestampMs / 1000));

function urlPage(member: string, queues: Queue[], maxResults: number | undefined, nextToken: string | undefined) {
  const shown = page(queues, ({ name }) => name, { maxResults: maxResults ?? 1000, nextToken });
  const urls = shown.items.map(({ url }) => url);
  return { ...(urls.length > 0 && { [member]: urls }), ...(maxResults && { NextToken: shown.nextToken }) };
}
