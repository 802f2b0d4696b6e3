import { sqsError } from './errors.ts';

interface Receipt {
  queueArn: string;
  messageId: string;
  nonce: string;
}

export const receiptHandle = ({ queueArn, messageId, nonce }: Receipt) =>
  Buffer.from(`${queueArn} ${messageId} ${nonce}`).toString('base64');

/** What a handle of this queue says; a handle that no receive of the queue gave out is refused. */
export function readReceiptHandle(handle: string, queueArn: string): Receipt {
  const [arn, messageId, nonce] = Buffer.from(handle, 'base64').toString().split(' ');
  if (arn !== queueArn || !messageId || !nonce) {
    throw sqsError(
      'ReceiptHandleIsInvalid',
      `The input receipt handle "${handle}" is not a valid receipt handle.`,
      404,
    );
  }
  return { queueArn, messageId, nonce };
}
