import type { SQSRecord } from 'aws-lambda';
import { type Message, md5 } from './message.ts';

/** Returns a message as an event-source mapping hands it to a function. Its handle is its id, however often it comes. */
export function toLambdaRecord(queueArn: string, message: Message): SQSRecord {
  const [, , , awsRegion = '', accountId = ''] = queueArn.split(':');
  return {
    messageId: message.id,
    receiptHandle: message.id,
    body: message.body,
    attributes: {
      ApproximateReceiveCount: String(message.receiveCount),
      SentTimestamp: String(message.sentAt),
      SenderId: accountId,
      ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt ?? message.sentAt),
      ...(message.groupId !== undefined && { MessageGroupId: message.groupId }),
    },
    messageAttributes: {},
    md5OfBody: md5(message.body),
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion,
  };
}
