import type { QueueAttributes } from './attributes.ts';
import { inRange, invalidParameter, invalidValue, missingParameter } from './errors.ts';
import { checkAttributes, checkBody, type MessageAttributes, messageBytes } from './message.ts';

export interface SendOptions {
  delaySeconds?: number | undefined;
  attributes?: MessageAttributes | undefined;
  traceHeader?: string | undefined;
  messageGroupId?: string | undefined;
  deduplicationId?: string | undefined;
}

/** Refuses what SQS would refuse to take into such a queue. */
export function checkSend(
  body: string,
  options: SendOptions,
  queue: { attributes: QueueAttributes; isFifo: boolean },
): void {
  const { attributes = {}, delaySeconds, messageGroupId, deduplicationId } = options;
  if (body === '') throw missingParameter('MessageBody');
  checkBody(body);
  checkAttributes(attributes);
  const maxBytes = Number(queue.attributes['MaximumMessageSize']);
  if (messageBytes(body, attributes) > maxBytes) {
    throw invalidParameter(
      `One or more parameters are invalid. Reason: Message must be shorter than ${maxBytes} bytes.`,
    );
  }
  if (delaySeconds !== undefined) {
    inRange('DelaySeconds', delaySeconds, [0, 900], 'DelaySeconds must be >= 0 and <= 900.');
  }
  checkToken('MessageGroupId', messageGroupId);
  checkToken('MessageDeduplicationId', deduplicationId);
  const otherQueueType = 'The request include parameter that is not valid for this queue type.';
  if (queue.isFifo) {
    if (!messageGroupId) throw missingParameter('MessageGroupId');
    if (delaySeconds) throw invalidValue('DelaySeconds', delaySeconds, otherQueueType);
  } else if (deduplicationId !== undefined) {
    throw invalidValue('MessageDeduplicationId', deduplicationId, otherQueueType);
  }
}

function checkToken(parameter: string, token: string | undefined): void {
  if (token === undefined || /^[!-~]{1,128}$/.test(token)) return;
  throw invalidValue(
    parameter,
    token,
    `${parameter} can only include alphanumeric and punctuation characters. 1 to 128 in length.`,
  );
}
