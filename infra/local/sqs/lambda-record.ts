import type { SQSMessageAttributes, SQSRecord } from 'aws-lambda';
import { attributesMd5, type Message, md5, type Received } from './message.ts';

/** The queue that a message is from. */
interface Source {
  arn: string;
  isFifo: boolean;
}

/** The system attributes of a message, as ReceiveMessage and Lambda events name them. */
export function systemAttributes(message: Message, queue: Source): SQSRecord['attributes'] {
  return {
    ApproximateReceiveCount: String(message.receiveCount),
    SentTimestamp: String(message.sentAt),
    SenderId: queue.arn.split(':')[4] ?? '',
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt ?? message.sentAt),
    ...(queue.isFifo && { SequenceNumber: sequenceNumber(message.sequence) }),
    ...(message.groupId !== undefined && { MessageGroupId: message.groupId }),
    ...(message.deduplicationId !== undefined && { MessageDeduplicationId: message.deduplicationId }),
    ...(message.traceHeader !== undefined && { AWSTraceHeader: message.traceHeader }),
    ...(message.deadLetterSourceArn !== undefined && { DeadLetterQueueSourceArn: message.deadLetterSourceArn }),
  };
}

export const sequenceNumber = (sequence: number) => String(sequence).padStart(20, '0');

export function toLambdaRecord(queue: Source, { message, receiptHandle }: Received): SQSRecord {
  const md5OfMessageAttributes = attributesMd5(message.attributes);
  return {
    messageId: message.id,
    receiptHandle,
    body: message.body,
    attributes: systemAttributes(message, queue),
    messageAttributes: lambdaAttributes(message),
    md5OfBody: md5(message.body),
    ...(md5OfMessageAttributes && { md5OfMessageAttributes }),
    eventSource: 'aws:sqs',
    eventSourceARN: queue.arn,
    awsRegion: queue.arn.split(':')[3] ?? '',
  };
}

function lambdaAttributes(message: Message): SQSMessageAttributes {
  return Object.fromEntries(
    Object.entries(message.attributes).map(([name, { DataType = '', StringValue, BinaryValue }]) => [
      name,
      {
        ...(StringValue !== undefined && { stringValue: StringValue }),
        ...(BinaryValue !== undefined && { binaryValue: BinaryValue }),
        stringListValues: [],
        binaryListValues: [],
        dataType: DataType,
      },
    ]),
  );
}
