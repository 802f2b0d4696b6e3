import type {
  GetQueueAttributesRequest,
  ListMessageMoveTasksRequest,
  SendMessageBatchRequest,
  SendMessageBatchRequestEntry,
  StartMessageMoveTaskRequest,
} from '@aws-sdk/client-sqs';
import { performBatch } from './batch.ts';
import { prefixedError, required } from './errors.ts';
import { maxMessageBytes, md5 } from './message.ts';
import type { Queue } from './queue.ts';
import type { Queues } from './queues.ts';
import { MoveTasks } from './redrive.ts';

type Action = (input: never) => unknown;

/** The actions of SQS that this product calls by name, each from its JSON request to its JSON answer. */
export function sqsActions(queues: Queues): Record<string, Action> {
  const moveTasks = new MoveTasks(queues);
  const queueOf = ({ QueueUrl }: { QueueUrl: string | undefined }) => queues.byUrl(required(QueueUrl, 'QueueUrl'));

  return {
    GetQueueAttributes: (input: GetQueueAttributesRequest) => ({
      Attributes: attributesOf(queueOf(input), input.AttributeNames),
    }),
    SendMessageBatch: (input: SendMessageBatchRequest) => {
      const queue = queueOf(input);
      checkBatchBytes(input.Entries ?? []);
      return performBatch(input.Entries ?? [], 'SendMessageBatchRequestEntry', (entry) => send(queue, entry));
    },
    StartMessageMoveTask: ({ SourceArn, DestinationArn }: StartMessageMoveTaskRequest) => ({
      TaskHandle: moveTasks.start(required(SourceArn, 'SourceArn'), required(DestinationArn, 'DestinationArn')),
    }),
    ListMessageMoveTasks: ({ SourceArn, MaxResults = 1 }: ListMessageMoveTasksRequest) => ({
      Results: moveTasks.of(required(SourceArn, 'SourceArn')).slice(0, MaxResults),
    }),
  };
}

function send(queue: Queue, input: SendMessageBatchRequestEntry) {
  const body = required(input.MessageBody, 'MessageBody');
  const messageId = queue.send(body, { delaySeconds: input.DelaySeconds, messageGroupId: input.MessageGroupId });
  return { MessageId: messageId, MD5OfMessageBody: md5(body) };
}

function checkBatchBytes(entries: readonly SendMessageBatchRequestEntry[]): void {
  const bytes = entries.reduce((sum, { MessageBody = '' }) => sum + Buffer.byteLength(MessageBody), 0);
  if (bytes <= maxMessageBytes) return;
  throw prefixedError(
    'BatchRequestTooLong',
    `Batch requests cannot be longer than ${maxMessageBytes} bytes. You have sent ${bytes} bytes.`,
  );
}

function attributesOf(queue: Queue, names: readonly string[] = []): Record<string, string> {
  const { visible, inFlight, delayed } = queue.counts();
  const all = {
    ...queue.attributes,
    QueueArn: queue.arn,
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: String(inFlight),
    ApproximateNumberOfMessagesDelayed: String(delayed),
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes('All') || names.includes(name)));
}
